import { expect, test } from 'vitest'
import { findPicture, smallPicture } from './small-pictures.ts'

const picture = async (): Promise<Blob> => new Blob(['a picture'])

test('a picture is made once, and found afterwards without being made', async () => {
  expect(await findPicture('a')).toBeUndefined()
  const url = await smallPicture('a', picture)
  expect(url).toMatch(/^blob:/)
  expect(await findPicture('a')).toBe(url)
  expect(await smallPicture('a', () => Promise.reject(new Error('made again')))).toBe(url)
})

test('what could not be made is made when it is asked for again', async () => {
  await expect(smallPicture('b', () => Promise.reject(new Error('no network')))).rejects.toThrow('no network')
  expect(await findPicture('b')).toBeUndefined()
  expect(await smallPicture('b', picture)).toMatch(/^blob:/)
})
