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

test('two are made at a time, also when one is asked for at the moment that another is done', async () => {
  let making = 0
  let most = 0
  const ends: PromiseWithResolvers<undefined>[] = []
  const asked: Promise<unknown>[] = []
  const make = (): Promise<undefined> => {
    most = Math.max(most, ++making)
    const end = Promise.withResolvers<undefined>()
    ends.push(end)
    const made = end.promise.finally(() => making--)
    if (ends.length === 1) queueMicrotask(() => made.then(() => asked.push(smallPicture('f', make))))
    return made
  }
  for (const key of ['c', 'd', 'e']) asked.push(smallPicture(key, make))
  for (let at = 0; at < 4; at++) {
    await new Promise((resolve) => setTimeout(resolve))
    ends[at]?.resolve(undefined)
  }
  expect(await Promise.all(asked)).toHaveLength(4)
  expect(most).toBe(2)
})
