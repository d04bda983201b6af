import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Relation } from '@holdfast/replication'
import type { PlannedDependency } from './active-plan.ts'
import { type KeyHolder, DependencyIndex } from './dependency-index.ts'

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
  keysChanged: KeyHolder['keysChanged']
  woken: number
}

function holder(name = ''): Holder {
  const one: Holder = {
    name,
    xids: [],
    woken: 0,
    keysChanged: (xids) => void one.xids.push(...xids),
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
      const index = new DependencyIndex()
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
      const few = new Set(index.few([PINNED, OPEN], RELATION, old, next, 6))
      index.collect(1, [PINNED, OPEN], RELATION, old, next)
      index.tell()
      const differs = (columns: readonly number[]): boolean =>
        !old || !next || columns.some((column) => old[column] !== next[column])
      for (const { one, claim, state } of holders) {
        const isConcerned =
          state === 'unresolved' ||
          (state === 'open' && differs([2])) ||
          (state === 'pinned' && differs([1, 2]) && claim !== null && (old?.[1] === claim || next?.[1] === claim))
        // A change has at least one row.
        if (!old && !next) continue
        expect(one.xids, one.name).toEqual(isConcerned ? [1] : [])
        expect(few.has(one), one.name).toBe(isConcerned)
      }
    }),
  )
})

const NOTHING_SEEN = (): boolean => false

function change(index: DependencyIndex, xid: number, userId: string | null): void {
  index.collect(xid, [PINNED, OPEN], RELATION, undefined, ['1', userId, 'z', null])
}

test('an answer lacks those of the last transactions that it has not seen and that concern the person', () => {
  const index = new DependencyIndex()
  for (const [xid, user] of [[5, 'a'], [6, 'b'], [7, null], [8, 'a']] as const) change(index, xid, user) // prettier-ignore
  const pins = new Map([['pinned', ['a', null]]])
  expect(index.unseenTransactions([PINNED], pins, [], NOTHING_SEEN)).toEqual([5, 8])
  expect(index.unseenTransactions([PINNED], pins, [], (xid) => xid === 5)).toEqual([8])
  expect(index.unseenTransactions([PINNED], new Map([['pinned', []]]), [], NOTHING_SEEN)).toEqual([])
  expect(index.unseenTransactions([PINNED], new Map(), [], NOTHING_SEEN)).toEqual([5, 6, 7, 8])
  expect(index.unseenTransactions([OPEN], new Map(), [], NOTHING_SEEN)).toEqual([5, 6, 7, 8])
  // One that was told, and forgotten since, may have been of any kind.
  expect(index.unseenTransactions([PINNED], pins, [3], NOTHING_SEEN)).toEqual([3, 5, 8])
  index.collectAll(9)
  expect(index.unseenTransactions([PINNED], pins, [], NOTHING_SEEN)).toEqual([5, 8, 9])
})

test('a transaction with very many values concerns everybody', () => {
  const index = new DependencyIndex()
  for (let user = 0; user < 1_100; user++) change(index, 5, String(user))
  expect(index.unseenTransactions([PINNED], new Map([['pinned', ['x']]]), [], NOTHING_SEEN)).toEqual([5])
})

test('whoever was told of a change hears of every other one until the keys are known again', () => {
  const index = new DependencyIndex()
  const [one, gone] = [holder('one'), holder('gone')]
  const pins = new Map([['pinned', ['a']]])
  index.set(one, [PINNED], pins)
  index.set(gone, [PINNED], pins)
  index.delete(gone)
  for (const xid of [5, 6]) change(index, xid, 'a')
  index.tell()
  expect(one.xids).toEqual([5, 6])
  expect(gone.xids).toEqual([])
  change(index, 7, 'b')
  index.tell()
  expect(one.xids).toEqual([5, 6, 7])
  index.set(one, [PINNED], pins)
  change(index, 8, 'b')
  index.tell()
  index.tell()
  expect(one.xids).toEqual([5, 6, 7])
})

test('whoever comes to be concerned before it is told lacks what was collected, and is told of what comes after', () => {
  const index = new DependencyIndex()
  const one = holder()
  index.addUnresolved(one)
  change(index, 5, 'a')
  expect(index.unseenTransactions([PINNED], new Map([['pinned', ['a']]]), [], NOTHING_SEEN)).toEqual([5])
  expect(index.unseenTransactions([PINNED], new Map([['pinned', ['b']]]), [], NOTHING_SEEN)).toEqual([])
  index.set(one, [PINNED], new Map([['pinned', ['b']]]))
  index.tell()
  expect(one.xids).toEqual([])
  change(index, 6, 'a')
  change(index, 6, 'b')
  index.tell()
  expect(one.xids).toEqual([6])
})

test('what was collected is not forgotten among the last transactions until it is told', () => {
  const index = new DependencyIndex()
  for (let xid = 0; xid < 2_000; xid++) change(index, xid, 'a')
  const unseen = (): readonly number[] => index.unseenTransactions([OPEN], new Map(), [], NOTHING_SEEN)
  expect(unseen()).toContain(0)
  index.tell()
  expect(unseen()).not.toContain(0)
})

test('many rows of a transaction are told everybody once', () => {
  const index = new DependencyIndex()
  const holders = Array.from({ length: 500 }, () => holder())
  let visits = 0
  for (const one of holders) {
    one.keysChanged = (xids) => {
      visits++
      one.xids.push(...xids)
    }
    index.set(one, [OPEN, PINNED], new Map([['pinned', ['a']]]))
  }
  for (let row = 0; row < 5_000; row++) change(index, 5, 'a')
  expect(index.few([OPEN], RELATION, undefined, ['1', 'a', 'z', null], 20)).toEqual([])
  index.tell()
  expect(visits).toBe(500)
  expect(holders[0]?.xids).toEqual([5])
})

test('after another plan no one is resolved, and what was noted before concerns all', () => {
  const index = new DependencyIndex()
  const one = holder()
  change(index, 5, 'a')
  index.tell()
  index.set(one, [PINNED], new Map([['pinned', ['b']]]))
  index.planChanged()
  expect(one.woken).toBe(1)
  index.collect(6, [OPEN], RELATION, undefined, ['1', 'z', 'z', null])
  index.tell()
  expect(one.xids).toEqual([6])
  expect(index.unseenTransactions([PINNED], new Map([['pinned', ['b']]]), [], NOTHING_SEEN)).toEqual([5])
})

test('the memory of transactions is bounded', () => {
  const index = new DependencyIndex()
  for (let xid = 0; xid < 10_000; xid++) {
    change(index, xid, 'a')
    index.tell()
  }
  const unseen = index.unseenTransactions([OPEN], new Map(), [], NOTHING_SEEN)
  expect(unseen.length).toBeGreaterThan(200)
  expect(unseen.length).toBeLessThan(600)
  expect(unseen.at(-1)).toBe(9_999)
})
