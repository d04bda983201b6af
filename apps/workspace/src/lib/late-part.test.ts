import { expect, test } from 'vitest'
import { latePart } from './late-part.ts'

test('a late part is loaded once, and found from then on', async () => {
  let loads = 0
  const part = latePart(async () => ({ number: (loads += 1) }))
  expect(part.find()).toBeUndefined()
  part.preload()
  expect(await Promise.all([part.load(), part.load()])).toEqual([{ number: 1 }, { number: 1 }])
  expect(part.find()).toEqual({ number: 1 })
  expect(loads).toBe(1)
})

test('a late part that could not be loaded is loaded with the next use', async () => {
  const answers = [Promise.reject(new Error('no network')), Promise.resolve('here')]
  const part = latePart(() => answers.shift() ?? Promise.reject(new Error('asked too often')))
  await expect(part.load()).rejects.toThrow('no network')
  expect(part.find()).toBeUndefined()
  expect(await part.load()).toBe('here')
  expect(await part.load()).toBe('here')
})
