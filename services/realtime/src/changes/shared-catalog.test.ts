import { expect, test } from 'vitest'
import { SharedCatalog } from './shared-catalog.ts'

/** A reader that resolves on demand with successive values. */
function openReader() {
  const asked: PromiseWithResolvers<string | undefined>[] = []
  return {
    asked,
    read: (): Promise<string | undefined> => {
      const reading = Promise.withResolvers<string | undefined>()
      asked.push(reading)
      return reading.promise
    },
  }
}

test('those who ask together, and those who ask soon after, are answered by one reading', async () => {
  const catalog = new SharedCatalog(60_000)
  const { asked, read } = openReader()
  const answers = Array.from({ length: 100 }, () => catalog.read('a', read))
  asked[0]?.resolve('there')
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['there']))
  expect(await catalog.read('a', read)).toBe('there')
  expect(asked).toHaveLength(1)
})

test('different things are read apart', async () => {
  const catalog = new SharedCatalog(60_000)
  const { asked, read } = openReader()
  const [a, b] = [catalog.read('a', read), catalog.read('b', read)]
  asked[0]?.resolve('an a')
  asked[1]?.resolve('a b')
  expect(await Promise.all([a, b])).toEqual(['an a', 'a b'])
})

test('what was not there is looked for again, once for all who waited', async () => {
  const catalog = new SharedCatalog(60_000)
  const { asked, read } = openReader()
  const first = catalog.read('a', read)
  const others = [catalog.read('a', read), catalog.read('a', read)]
  asked[0]?.resolve(undefined)
  expect(await first).toBeUndefined()
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.resolve('made meanwhile')
  expect(await Promise.all(others)).toEqual(['made meanwhile', 'made meanwhile'])
  expect(asked).toHaveLength(2)
})

test('a failure is told to whom it happened, and the next one reads again', async () => {
  const catalog = new SharedCatalog(60_000)
  const { asked, read } = openReader()
  const failing = catalog.read('a', read)
  const waiting = catalog.read('a', read)
  asked[0]?.reject(new Error('no connection'))
  await expect(failing).rejects.toThrow('no connection')
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.resolve('there')
  expect(await waiting).toBe('there')
})

test('a change of the schema has everything read again, also what is being read', async () => {
  const catalog = new SharedCatalog(60_000)
  const { asked, read } = openReader()
  void catalog.read('a', read)
  catalog.clear()
  const behind = catalog.read('a', read)
  asked[0]?.resolve('before')
  asked[1]?.resolve('after')
  expect(await behind).toBe('after')
  expect(await catalog.read('a', read)).toBe('after')
  expect(asked).toHaveLength(2)
})
