import { delay } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { VISIBLE_POLL_MS } from '../rows/recent-transactions.ts'

/**
 * Waits until the transactions have ended that are writing to a table now. Rows that they wrote before it was published are not in the stream, so they have
 * to be in those that are read. Transactions that write elsewhere are not waited for: some are open for hours.
 */
export async function untilWritersEnded(pool: Pool, table: number, signal: AbortSignal): Promise<void> {
  const before = new Set(await readWriters(pool, table))
  for (let attempt = 0; before.size > 0; attempt++) {
    const now = new Set(await readWriters(pool, table))
    for (const one of before) if (!now.has(one)) before.delete(one)
    if (before.size > 0) await delay(Math.min(VISIBLE_POLL_MS * 2 ** Math.min(attempt, 5), 200), signal)
  }
}

/** Each write locks the table, and the partition that it goes to, in this mode until the transaction has ended and others see it. */
async function readWriters(pool: Pool, table: number): Promise<readonly string[]> {
  const rows = await pool.query<{ writer: string }>(sql`
    with recursive written (oid) as (
      select ${table}::int8::oid
      union
      select i.inhrelid from pg_catalog.pg_inherits i join written on written.oid = i.inhparent
    )
    select distinct l.virtualtransaction as writer
      from pg_catalog.pg_locks l
      join written on written.oid = l.relation
      join pg_catalog.pg_database d on d.oid = l.database and d.datname = pg_catalog.current_database()
     where l.locktype = 'relation' and l.mode = 'RowExclusiveLock' and l.granted`)
  return rows.map(({ writer }) => writer)
}
