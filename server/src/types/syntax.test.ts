import { expect, test } from 'vitest'
import { layOutKey, NO_KEY } from './syntax.ts'

test.each([
  ['note', 'note'],
  ['select', 'select'],
  ['due on', '"due on"'],
  ['größe', '"größe"'],
  ['[draft] note', '"[draft] note"'],
  ['[key: string]', '"[key: string]"'],
  [NO_KEY, '[_ in never]'],
])('the column %j is written as %s', (name, expected) => {
  expect(layOutKey(name)).toBe(expected)
})
