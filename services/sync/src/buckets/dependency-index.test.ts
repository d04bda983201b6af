import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Relation } from '@holdfast/replication'
import type { PlannedDependency } from './active-plan.ts'
import { createDependencyIndex, type KeyHolder } from './dependency-index.ts'

const RELATION: Relation = {
  oid: 7, schema: 'public', name: 'members',
  columns: ['id', 'user_id', 'list_id', 'note'].map((name) => ({ name, typeOid: 25, isKey: name === 'id' })),
} // prettier-ignore
const PINNED: PlannedDependency = {
  oid: 7,
  schema: 'public',
  name: 'members',
  columns: ['user_id', 'list_id'],
  pin: { column: 'user_id', claimSql: 'x' },
  key: 'pinned',
}
const OPEN: PlannedDependency = {
  oid: 7,
  schema: 'public',
  name: 'members',
  columns: ['list_id'],
  pin: undefined,
  key: 'open',
}

interface Holder extends KeyHolder {
  readonly name: string
  readonly xids: number[]
  woken: number
}

function holder(name = ''): Holder {
  const one: Holder = {
    name,
    xids: [],
    woken: 0,
    keysChanged: (xid) => void one.xids.push(xid),
    wake: () => void one.woken++,
  }
  return one
}

test('a change concerns whom the old or the new row is pinned to, whoever is not pinned, and whoever is not known yet', () => {
  const value = fc.constantFrom('a', 'b', 'c', null)
  const row = fc.tuple(fc.constant('1'), value, value, value)
  const people = fc.array(fc.record({ claim: value, state: fc.constantFrom('pinned', 'open', 'unresolved', 'gone') }), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(people, fc.option(row, { nil: undefined }), fc.option(row, { nil: undefined }), (list, old, next) => {
      const index = createDependencyIndex()
      const holders = list.map(({ claim, state }) => {
        const one = holder(`${claim} ${state}`)
        index.addUnresolved(one)
        if (state === 'pinned') index.set(one, [PINNED], new Map([['pinned', [claim]]]))
        if (state === 'open') index.set(one, [OPEN], new Map())
        if (state === 'gone') {
          index.set(one, [PINNED, OPEN], new Map([['pinned', [claim]]]))
          index.delete(one)
        }
        return { one, claim, state }
      })
      const concerned = new Set<KeyHolder>()
      index.collect([PINNED, OPEN], RELATION, old, next, concerned)
      const differs = (columns: readonly number[]): boolean =>
        !old || !next || columns.some((column) => old[column] !== next[column])
      for (const { one, claim, state } of holders) {
        const isConcerned =
          state === 'unresolved' ||
          (state === 'open' && differs([2])) ||
          (state === 'pinned' && differs([1, 2]) && claim !== null && (old?.[1] === claim || next?.[1] === claim))
        // With neither row there is no change.
        if (old || next) expect(concerned.has(one), one.name).toBe(isConcerned)
      }
    }),
  )
})

test('whoever is new or has to look again hears of the last transactions, which a query may not see yet', () => {
  const index = createDependencyIndex()
  for (const xid of [5, 5, 6, 7]) index.noteTransaction(xid)
  const one = holder()
  index.addUnresolved(one)
  expect(one.xids).toEqual([5, 6, 7])
  index.set(one, [PINNED], new Map([['pinned', ['a']]]))
  index.noteTransaction(8)
  expect(one.xids).toEqual([5, 6, 7])
  index.planChanged()
  expect(one.xids).toEqual([5, 6, 7, 5, 6, 7, 8])
  expect(one.woken).toBe(1)
  const concerned = new Set<KeyHolder>()
  index.collect([OPEN], RELATION, undefined, ['1', 'z', 'z', null], concerned)
  expect(concerned).toEqual(new Set([one]))
})

test('the memory of transactions is bounded', () => {
  const index = createDependencyIndex()
  for (let xid = 0; xid < 10_000; xid++) index.noteTransaction(xid)
  const one = holder()
  index.addUnresolved(one)
  expect(one.xids.length).toBeLessThan(600)
  expect(one.xids.at(-1)).toBe(9_999)
})
