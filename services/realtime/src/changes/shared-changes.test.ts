import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createChangeTap, type Lsn, type Relation, type ReplicationEvent } from '@holdfast/replication'
import type { Bus } from '../bus/bus.ts'
import { openLocalBus } from '../bus/local-bus.ts'
import { TRANSACTION_BYTES_MAX } from '../limits.ts'
import type { WantedTables } from './change-source.ts'
import { SharedChanges } from './shared-changes.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const relation = (name: string): Relation => ({
  oid: 1,
  schema: 'public',
  name,
  columns: [{ name: 'id', typeOid: 25, isKey: true }],
})
const [NOTES, SITES] = [relation('notes'), relation('sites')]
const lsn = (position: number): Lsn => BigInt(position) as Lsn
const begin = (position: number): ReplicationEvent => ({
  kind: 'begin',
  xid: position,
  commitLsn: lsn(position),
  committedAtMs: 1.5,
})
const commit = (position: number): ReplicationEvent => ({
  kind: 'commit',
  commitLsn: lsn(position),
  endLsn: lsn(position + 1),
})
const insert = (table: Relation, id: string): ReplicationEvent => ({ kind: 'insert', relation: table, row: [id] })

/** Servers on one bus, which reports losses when told to. */
function openServers() {
  const bus = openLocalBus(silentLogger)
  const watchers = new Set<(node: string | undefined) => void>()
  let reader = 'one'
  const openServer = (node: string) => {
    const tap = createChangeTap(silentLogger)
    const own: Bus = {
      ...bus,
      node,
      watchLosses(onLost) {
        watchers.add(onLost)
        return { [Symbol.dispose]: () => void watchers.delete(onLost) }
      },
    }
    const shared = new SharedChanges({
      tap,
      bus: own,
      node,
      isStandby: () => reader !== node,
      isReader: () => reader === node,
    })
    const seen: ReplicationEvent[] = []
    let lost = 0
    let wanted: readonly WantedTables[] = [{ schema: 'public', table: 'notes' }]
    const listening = shared.listen({
      onEvents: (events) => seen.push(...events),
      onLost: () => lost++,
      wanted: () => wanted,
    })
    return {
      tap,
      shared,
      seen,
      listening,
      want: (tables: readonly WantedTables[]) => void (wanted = tables),
      lost: () => lost,
    }
  }
  return {
    one: openServer('one'),
    two: openServer('two'),
    read: (node: string) => void (reader = node),
    lose: (node: string | undefined) => {
      for (const watcher of watchers) watcher(node)
    },
  }
}

describe('a server that does not read the changes', () => {
  test('gets those of the tables that it wants, in whole transactions, as the reader does', async () => {
    const { one, two } = openServers()
    one.tap.deliver([begin(1), insert(NOTES, 'before')])
    expect(await two.shared.ready()).toBe(true)
    one.tap.deliver([insert(NOTES, 'the rest'), commit(1)])
    one.tap.deliver([begin(2), insert(SITES, 'a'), commit(2), begin(3), insert(NOTES, 'b')])
    one.tap.deliver([insert(SITES, 'c'), insert(NOTES, 'd'), commit(3)])
    const message: ReplicationEvent = {
      kind: 'message',
      transactional: true,
      prefix: 'holdfast:ddl',
      content: 'x',
      lsn: lsn(4),
    }
    one.tap.deliver([begin(5), message, commit(5)])
    expect(two.seen).toEqual([
      begin(3),
      insert(NOTES, 'b'),
      insert(NOTES, 'd'),
      commit(3),
      begin(5),
      message,
      commit(5),
    ])
    two.want([{ schema: '*', table: undefined }])
    expect(await two.shared.ready()).toBe(true)
    one.tap.deliver([begin(6), insert(SITES, 'e'), commit(6)])
    expect(two.seen.slice(7)).toEqual([begin(6), insert(SITES, 'e'), commit(6)])
    const relations = two.seen.flatMap((event) =>
      'relation' in event && event.relation.name === 'notes' ? [event.relation] : [],
    )
    expect(new Set(relations).size).toBe(1)
    expect(one.seen.length).toBe(18)
    expect([one.lost(), two.lost()]).toEqual([0, 0])
  })

  test('is told of losses, and goes on with the next transaction', async () => {
    const { one, two, lose } = openServers()
    await two.shared.ready()
    one.tap.deliver([begin(1), insert(NOTES, 'a')])
    lose('three')
    expect(two.lost()).toBe(0)
    lose('one')
    expect(two.lost()).toBe(1)
    one.tap.deliver([insert(NOTES, 'b'), commit(1), begin(2), insert(NOTES, 'c'), commit(2)])
    expect(two.seen).toEqual([begin(1), insert(NOTES, 'a'), begin(2), insert(NOTES, 'c'), commit(2)])
    lose(undefined)
    expect(two.lost()).toBe(2)
    one.tap.deliver([begin(3), insert(NOTES, 'x'.repeat(TRANSACTION_BYTES_MAX + 1)), insert(NOTES, 'd'), commit(3)])
    expect(two.lost()).toBe(3)
    one.tap.deliver([begin(4), insert(NOTES, 'e'), commit(4)])
    expect(two.seen.slice(5)).toEqual([begin(4), insert(NOTES, 'e'), commit(4)])
  })

  test('is told when another server reads them, or itself', async () => {
    const { one, two, read } = openServers()
    await two.shared.ready()
    read('three')
    await vi.advanceTimersByTimeAsync(1_000)
    expect([one.lost(), two.lost()]).toEqual([1, 0])
    // Nobody answers.
    const ready = two.shared.ready()
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await ready).toBe(false)
    one.tap.deliver([begin(1), insert(NOTES, 'late'), commit(1)])
    read('one')
    await vi.advanceTimersByTimeAsync(1_000)
    // Passing on began anew, so some may be missing.
    expect(two.lost()).toBe(1)
    read('two')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(two.lost()).toBe(2)
    two.tap.deliver([begin(2), insert(SITES, 'a'), commit(2)])
    expect(two.seen).toEqual([begin(2), insert(SITES, 'a'), commit(2)])
  })

  test('costs the reader nothing once it wants none', async () => {
    const { one, two } = openServers()
    one.listening[Symbol.dispose]()
    await two.shared.ready()
    two.listening[Symbol.dispose]()
    await vi.advanceTimersByTimeAsync(10_000)
    const listen = vi.spyOn(one.tap, 'listen')
    one.tap.deliver([begin(1), insert(NOTES, 'a'), commit(1)])
    expect(two.seen).toEqual([])
    expect(listen).not.toHaveBeenCalled()
  })
})
