import { describe, expect, test } from 'vitest'
import type { UniqueIndex } from '@holdfast/postgres'
import { chooseRowKey } from './row-key.ts'

const key = (name: string, columns: readonly string[], more: Partial<UniqueIndex> = {}): UniqueIndex => ({
  name,
  columns,
  isPrimary: false,
  isConstraint: false,
  isImmediate: true,
  isNullable: false,
  ...more,
})

describe('the key of a table', () => {
  test.each<[string, readonly UniqueIndex[], readonly string[] | undefined]>([
    ['is the primary key', [key('u', ['a']), key('p', ['b', 'c'], { isPrimary: true })], ['b', 'c']],
    [
      'is the one column id, whatever the primary key is',
      [key('p', ['b'], { isPrimary: true }), key('u', ['id'])],
      ['id'],
    ],
    ['is no id among others', [key('p', ['org', 'id'], { isPrimary: true }), key('u', ['no'])], ['org', 'id']],
    ['is the smallest unique one, where there is no primary key', [key('a', ['x', 'y']), key('b', ['z'])], ['z']],
    ['is the first of equal ones by name', [key('b', ['y']), key('a', ['x'])], ['x']],
    ['is rather one that is checked at once', [key('a', ['x'], { isImmediate: false }), key('b', ['y'])], ['y']],
    ['is none that leaves rows with nulls apart', [key('a', ['x'], { isNullable: true })], undefined],
    ['is none', [], undefined],
  ])('%s', (_, keys, columns) => {
    expect(chooseRowKey(keys)?.columns).toEqual(columns)
    expect(chooseRowKey(keys.toReversed())?.columns).toEqual(columns)
  })
})
