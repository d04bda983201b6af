import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Relation } from '@holdfast/replication'
import type { PlannedDependency } from './active-plan.ts'
import { createDependencyIndex, type DependencyIndex, type KeyHolder } from './dependency-index.ts'

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
      index.collect(1, [PINNED, OPEN], RELATION, old, next, concerned)
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

const NOTHING_SEEN = (): boolean => false

function change(index: DependencyIndex, xid: number, userId: string | null): void {
  index.collect(xid, [PINNED, OPEN], RELATION, undefined, ['1', userId, 'z', null], new Set())
}

test('an answer lacks those of the last transactions that it has not seen and that concern the person', () => {
  const index = createDependencyIndex()
  for (const [xid, user] of [[5, 'a'], [6, 'b'], [7, null], [8, 'a']] as const) change(index, xid, user) // prettier-ignore
  const pins = new Map([['pinned', ['a', null]]])
  expect(index.lacking([PINNED], pins, [], NOTHING_SEEN)).toEqual([5, 8])
  expect(index.lacking([PINNED], pins, [], (xid) => xid === 5)).toEqual([8])
  expect(index.lacking([PINNED], new Map([['pinned', []]]), [], NOTHING_SEEN)).toEqual([])
  expect(index.lacking([PINNED], new Map(), [], NOTHING_SEEN)).toEqual([5, 6, 7, 8])
  expect(index.lacking([OPEN], new Map(), [], NOTHING_SEEN)).toEqual([5, 6, 7, 8])
  // One that was told, and forgotten since, may have been of any kind.
  expect(index.lacking([PINNED], pins, [3], NOTHING_SEEN)).toEqual([3, 5, 8])
  index.collectAll(9, new Set())
  expect(index.lacking([PINNED], pins, [], NOTHING_SEEN)).toEqual([5, 8, 9])
})

test('a transaction with very many values concerns everybody', () => {
  const index = createDependencyIndex()
  for (let user = 0; user < 1_100; user++) change(index, 5, String(user))
  expect(index.lacking([PINNED], new Map([['pinned', ['x']]]), [], NOTHING_SEEN)).toEqual([5])
})

test('whoever was told of a change hears of every other one until the keys are known again', () => {
  const index = createDependencyIndex()
  const [one, gone] = [holder('one'), holder('gone')]
  const pins = new Map([['pinned', ['a']]])
  index.set(one, [PINNED], pins)
  index.set(gone, [PINNED], pins)
  index.delete(gone)
  for (const each of [one, gone]) index.tell(each, [5, 6])
  expect(one.xids).toEqual([5, 6])
  expect(gone.xids).toEqual([])
  const concerned = new Set<KeyHolder>()
  index.collect(7, [PINNED], RELATION, undefined, ['1', 'b', 'z', null], concerned)
  expect(concerned).toEqual(new Set([one]))
  index.set(one, [PINNED], pins)
  concerned.clear()
  index.collect(8, [PINNED], RELATION, undefined, ['1', 'b', 'z', null], concerned)
  expect(concerned).toEqual(new Set())
})

test('after another plan nobody is resolved, and what was noted before concerns everybody', () => {
  const index = createDependencyIndex()
  const one = holder()
  change(index, 5, 'a')
  index.set(one, [PINNED], new Map([['pinned', ['b']]]))
  index.planChanged()
  expect(one.woken).toBe(1)
  const concerned = new Set<KeyHolder>()
  index.collect(6, [OPEN], RELATION, undefined, ['1', 'z', 'z', null], concerned)
  expect(concerned).toEqual(new Set([one]))
  expect(index.lacking([PINNED], new Map([['pinned', ['b']]]), [], NOTHING_SEEN)).toEqual([5])
})

test('the memory of transactions is bounded', () => {
  const index = createDependencyIndex()
  for (let xid = 0; xid < 10_000; xid++) change(index, xid, 'a')
  const lacking = index.lacking([OPEN], new Map(), [], NOTHING_SEEN)
  expect(lacking.length).toBeGreaterThan(200)
  expect(lacking.length).toBeLessThan(600)
  expect(lacking.at(-1)).toBe(9_999)
})
