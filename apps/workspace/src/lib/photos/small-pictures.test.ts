import { expect, test } from 'vitest'
import { type MadePicture, smallPicture } from './small-pictures.ts'

const picture = async (): Promise<MadePicture> => ({ blob: new Blob(['a picture']), seconds: 4 })

test('a picture is made once', async () => {
  const made = await smallPicture('a', picture)
  expect(made).toEqual({ url: expect.stringMatching(/^blob:/), seconds: 4 })
  expect(await smallPicture('a', () => Promise.reject(new Error('made again')))).toBe(made)
})

test('what could not be made is made when it is asked for again', async () => {
  await expect(smallPicture('b', () => Promise.reject(new Error('no network')))).rejects.toThrow('no network')
  expect((await smallPicture('b', picture))?.url).toMatch(/^blob:/)
})
