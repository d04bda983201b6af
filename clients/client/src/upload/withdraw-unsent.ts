import type { CommonPowerSyncDatabase } from '@powersync/common'
import { quoteName } from '@holdfast/protocol'
import { writeLocally } from '../local-write.ts'
import { BATCH_TRANSACTIONS_MAX } from './batch-size.ts'
import { lastQueued } from '../queue/write-by-record.ts'

/** Records per local transaction; the user's other changes wait for at most one. */
const CHUNK = 5_000

export interface WithdrawOptions {
  /** Local name of the table. */
  readonly table: string
  /** The commands that created the records, as the metadata of their operations names them (`{"command": …}`). */
  readonly commands: ReadonlySet<string>
  /** Called with the ids of each chunk. */
  readonly onWithdrawn: (ids: readonly string[]) => void
}

/**
 * Removes records that commands created on this device from the device and the queue, as far as they were certainly never sent: no later change of theirs is
 * queued, and the oldest transactions stay, because a request may be on its way with them. Delete the others as usual.
 *
 * @throws {DeviceFull} if the device is full; earlier chunks stay withdrawn
 */
export async function withdrawUnsent(database: CommonPowerSyncDatabase, options: WithdrawOptions): Promise<void> {
  const { table, commands, onWithdrawn } = options
  for (;;) {
    const ids = await writeLocally(database, async (tx) => {
      const found = await tx.getAll<{ readonly id: string; readonly entry: number }>(UNSENT_SQL, [
        table,
        BATCH_TRANSACTIONS_MAX,
        JSON.stringify([...commands]),
        CHUNK,
      ])
      const last = await lastQueued(tx)
      await tx.execute(`delete from ${quoteName(table)} where id in (select value from json_each(?))`, [
        JSON.stringify(found.map(({ id }) => id)),
      ])
      // The record, and what the deletion queued.
      await tx.execute('delete from ps_crud where id > ? or id in (select value from json_each(?))', [
        last,
        JSON.stringify(found.map(({ entry }) => entry)),
      ])
      return found.map(({ id }) => id)
    })
    if (ids.length > 0) onWithdrawn(ids)
    if (ids.length < CHUNK) return
  }
}

/** Records with one queued operation, which creates them and is in none of the oldest transactions. */
const UNSENT_SQL = `
  with entry as materialized (
    select id as entry, data ->> '$.id' as id, data ->> '$.op' as op, data ->> '$.metadata' as metadata
      from ps_crud where data ->> '$.type' = ?1)
  select id, min(entry) as entry from entry
   group by id
  having count(*) = 1 and max(op) = 'PUT'
     and min(entry) > ifnull((select max(last) from
          (select max(id) as last from ps_crud group by tx_id order by min(id) limit ?2)), 0)
     and case when json_valid(max(metadata)) then max(metadata) ->> '$.command' end in (select value from json_each(?3))
   order by entry desc limit ?4`
