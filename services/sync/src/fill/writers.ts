import { sql, type Pool } from '@holdfast/postgres'

/**
 * Finds transactions that must end before a table can be read: those writing to it at the first call. Rows that they wrote before the table was published are
 * not in the stream, so the query must see them. Transactions that write only elsewhere do not count, because some stay open for hours.
 *
 * @param before - the previous result, if any
 * @returns those that have not ended
 */
export async function findWriters(
  pool: Pool,
  table: number,
  before: ReadonlySet<string> | undefined,
): Promise<ReadonlySet<string>> {
  if (before?.size === 0) return before
  const now = new Set((await readLocks(pool, table, ['RowExclusiveLock'])).map(({ transaction }) => transaction))
  return before === undefined ? now : new Set([...before].filter((one) => now.has(one)))
}

/** Returns the processes of transactions that write to a table or lock it against reading; 0 for a prepared transaction. */
export async function findBlocking(pool: Pool, table: number): Promise<readonly number[]> {
  const locks = await readLocks(pool, table, ['RowExclusiveLock', 'AccessExclusiveLock'])
  return [...new Set(locks.map(({ pid }) => pid ?? 0))]
}

interface Lock {
  readonly transaction: string
  /** `null` for a prepared transaction. */
  readonly pid: number | null
}

/** Every write holds `RowExclusiveLock` on the table, and on the partition it goes to, until the transaction has ended and is visible. */
async function readLocks(pool: Pool, table: number, modes: readonly string[]): Promise<readonly Lock[]> {
  return await pool.query<Lock>(sql`
    with recursive written (oid) as (
      select ${table}::int8::oid
      union
      select i.inhrelid from pg_catalog.pg_inherits i join written on written.oid = i.inhparent
    )
    select distinct l.virtualtransaction as transaction, l.pid
      from pg_catalog.pg_locks l
      join written on written.oid = l.relation
      join pg_catalog.pg_database d on d.oid = l.database and d.datname = pg_catalog.current_database()
     where l.locktype = 'relation' and l.mode = any(${[...modes]}::text[]) and l.granted`)
}
