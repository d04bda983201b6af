import { describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createChangeTap } from './change-tap.ts'
import type { ReplicationEvent } from './events.ts'
import type { Lsn } from './lsn.ts'

const RELATION = { oid: 1, schema: 'public', name: 'items', columns: [] }

const begin = (lsn: bigint): ReplicationEvent => ({ kind: 'begin', xid: 1, commitLsn: lsn as Lsn, committedAtMs: 0 })
const insert = (value: string): ReplicationEvent => ({ kind: 'insert', relation: RELATION, row: [value] })
const commit = (lsn: bigint): ReplicationEvent => ({
  kind: 'commit',
  commitLsn: lsn as Lsn,
  endLsn: (lsn + 1n) as Lsn,
})

describe('a tap of the slot', () => {
  test('hands every batch to every listener, also after one that fails', () => {
    const tap = createChangeTap(silentLogger)
    const seen: string[] = []
    tap.listen(() => {
      throw new Error('broken')
    })
    tap.listen((events) => void seen.push(events.map(({ kind }) => kind).join()))
    tap.deliver([begin(5n), insert('a')])
    tap.deliver([commit(5n)])
    expect(seen).toEqual(['begin,insert', 'commit'])
  })

  test('delivers no transaction again that comes again after a broken connection', () => {
    const tap = createChangeTap(silentLogger)
    const seen: ReplicationEvent[] = []
    tap.listen((events) => void seen.push(...events))
    const first = [begin(5n), insert('a'), commit(5n)]
    tap.deliver([...first, begin(9n)])
    tap.deliver([...first, begin(9n), insert('b'), commit(9n)])
    expect(seen).toEqual([...first, begin(9n), begin(9n), insert('b'), commit(9n)])
  })

  test('says nothing to who has stopped listening, and nothing of the time before to who begins', () => {
    const tap = createChangeTap(silentLogger)
    const seen: string[] = []
    const first = tap.listen(() => void seen.push('first'))
    tap.deliver([begin(5n), commit(5n)])
    first[Symbol.dispose]()
    tap.listen(() => void seen.push('second'))
    tap.deliver([begin(5n), commit(5n)])
    tap.deliver([begin(6n), commit(6n)])
    expect(seen).toEqual(['first', 'second'])
  })
})
