import { expect, test } from 'vitest'
import { MEBIBYTE, usedBytes } from '../../test/used-bytes.ts'
import { createStatementNames } from './statement-names.ts'

test('a statement gets a name the third time, and keeps it', () => {
  const names = createStatementNames(10)
  const given = [1, 2, 3, 4].map(() => names.nameOf('v1', 'select 1'))
  expect(given).toEqual([undefined, undefined, 'rest_0', 'rest_0'])
})

test('a changed catalog begins with other names', () => {
  const names = createStatementNames(10)
  const nameOf = (version: string) => [1, 2, 3].map(() => names.nameOf(version, 'select 1')).at(-1)
  expect(['v1', 'v2', 'v1'].map(nameOf)).toEqual(['rest_0', 'rest_1', 'rest_2'])
})

test('the statement that did not come for longest gives up its name, which no other statement gets', () => {
  const names = createStatementNames(2)
  const nameOf = (text: string) => [1, 2, 3].map(() => names.nameOf('v1', text)).at(-1)
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(nameOf)).toEqual([
    'rest_0',
    'rest_1',
    'rest_0',
    'rest_2',
    'rest_0',
    'rest_3',
  ])
})

test('a long text is told from others without being kept', async () => {
  const names = createStatementNames(1_000)
  const textOf = (index: number): string => `${'x'.repeat(200_000)} ${index}`
  const before = await usedBytes()
  const given = new Set<string | undefined>()
  for (let index = 0; index < 100; index++) {
    for (let use = 1; use <= 3; use++) given.add(names.nameOf('1', textOf(index)))
  }
  expect(await usedBytes()).toBeLessThan(before + 4 * MEBIBYTE)
  given.delete(undefined)
  expect(given.size).toBe(100)
  expect(given).toContain(names.nameOf('1', textOf(7)))
})
