import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Lsn, Relation, Tuple } from '@holdfast/replication'
import type { RowChange } from '../../rows/apply-changes.ts'
import { createDeferredKeys } from './deferred-keys.ts'

const relation: Relation = { oid: 1, schema: 'public', name: 't', columns: [] }
const change = (old: Tuple | undefined, row: Tuple | undefined): RowChange => ({
  relation,
  old,
  row,
  commitLsn: 1n as Lsn,
})
const idOf = (row: Tuple): string => row[0] ?? ''

test('rows that swap their keys keep what they are', () => {
  const keys = createDeferredKeys()
  keys.add(change(['1', 'a'], ['2', 'a']), idOf)
  keys.add(change(['2', 'b'], ['1', 'b']), idOf)
  expect(keys.take().map(({ old, row }) => [old, row])).toEqual([
    [
      ['1', 'a'],
      ['1', 'b'],
    ],
    [
      ['2', 'b'],
      ['2', 'a'],
    ],
  ])
  expect(keys.take()).toEqual([])
})

test('any changes of a transaction come down to one for each key, whatever keys the rows had in between', () => {
  const step = fc.record({
    kind: fc.constantFrom('insert', 'update', 'delete'),
    at: fc.nat(9),
    key: fc.nat(3),
    value: fc.nat(1),
  })
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(3)), fc.array(step, { maxLength: 14 }), (ids, steps) => {
      const before = ids.map((id): Tuple => [String(id), '0'])
      const rows = [...before]
      const keys = createDeferredKeys()
      for (const { kind, at, key, value } of steps) {
        const row: Tuple = [String(key), String(value)]
        if (kind === 'insert') {
          rows.push(row)
          keys.add(change(undefined, row), idOf)
        } else if (rows.length > 0) {
          const index = at % rows.length
          const [old] = kind === 'update' ? rows.splice(index, 1, row) : rows.splice(index, 1)
          keys.add(change(old, kind === 'update' ? row : undefined), idOf)
        }
      }
      // The key is checked at the end.
      fc.pre(new Set(rows.map(idOf)).size === rows.length)
      const state = new Map(before.map((row) => [idOf(row), row]))
      for (const { old, row } of keys.take()) {
        if (old) state.delete(idOf(old))
        if (row) state.set(idOf(row), row)
      }
      const sorted = (list: Iterable<Tuple>): readonly Tuple[] =>
        [...list].toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
      expect(sorted(state.values())).toEqual(sorted(rows))
    }),
  )
})
