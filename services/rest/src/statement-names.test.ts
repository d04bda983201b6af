import { expect, test } from 'vitest'
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
