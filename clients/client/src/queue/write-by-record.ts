import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { writeLocally } from '../local-write.ts'

interface EntryRow {
  readonly id: number
  readonly type: string
  readonly record_id: string
}

/**
 * Runs `body` as one local transaction that is uploaded as one transaction per record. For changes of many independent records, such as a paste: the server
 * applies what it can and rejects single records.
 *
 * Consecutive writes to one record stay together.
 *
 * @throws {DeviceFull} if the device is full; nothing was written
 */
export function writeByRecord<T>(database: CommonPowerSyncDatabase, body: (tx: Transaction) => Promise<T>): Promise<T> {
  return writeLocally(database, async (tx) => {
    const last = await lastQueued(tx)
    const result = await body(tx)
    const entries = await tx.getAll<EntryRow>(
      `select id, data ->> '$.type' as type, data ->> '$.id' as record_id from ps_crud where id > ? order by id`,
      [last],
    )
    // Usually each record is written once, which takes a single statement.
    await tx.execute('update ps_crud set tx_id = -id where id > ?', [last])
    for (const { first, ids } of groupByRecord(entries)) {
      if (ids > 1) await separate(tx, first, first + ids - 1)
    }
    return result
  })
}

/**
 * Turns the queued operations from `first` to `last` into a separate transaction. SQLite's transaction numbers are positive and operation numbers unique, so
 * negative operation numbers are free.
 */
export async function separate(tx: Transaction, first: number, last: number): Promise<void> {
  await tx.execute('update ps_crud set tx_id = ? where id between ? and ?', [-first, first, last])
}

/** Returns the number of the newest queued operation. */
export async function lastQueued(tx: Transaction): Promise<number> {
  return (await tx.get<{ last: number }>('select ifnull(max(id), 0) as last from ps_crud')).last
}

function groupByRecord(entries: readonly EntryRow[]): readonly { readonly first: number; readonly ids: number }[] {
  const groups: { first: number; ids: number; type: string; record_id: string }[] = []
  for (const { id, type, record_id } of entries) {
    const group = groups.at(-1)
    if (group && group.type === type && group.record_id === record_id) group.ids = id - group.first + 1
    else groups.push({ first: id, ids: 1, type, record_id })
  }
  return groups
}
