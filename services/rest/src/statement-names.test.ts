import { expect, test } from 'vitest'
import { createStatementNames } from './statement-names.ts'

test('a statement gets a name the third time, and keeps it', () => {
  const names = createStatementNames(10)
  const given = [1, 2, 3, 4].map(() => names.nameOf('v1', 'select 1'))
  expect(given).toEqual([undefined, undefined, 'rest_1_0', 'rest_1_0'])
})

test('a changed catalog begins with other names', () => {
  const names = createStatementNames(10)
  const nameOf = (version: string) => [1, 2, 3].map(() => names.nameOf(version, 'select 1')).at(-1)
  expect(nameOf('v1')).toBe('rest_1_0')
  expect(nameOf('v2')).toBe('rest_2_0')
  expect(nameOf('v1')).toBe('rest_3_0')
})

test('names run out, and statements go on without', () => {
  const names = createStatementNames(2)
  const nameOf = (text: string) => [1, 2, 3].map(() => names.nameOf('v1', text)).at(-1)
  expect(['a', 'b', 'c', 'a'].map(nameOf)).toEqual(['rest_1_0', 'rest_1_1', undefined, 'rest_1_0'])
})
