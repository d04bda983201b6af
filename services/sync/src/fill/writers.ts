import { sql, type Pool } from '@holdfast/postgres'

/**
 * Finds the transactions that have to end before a table can be read: those that are writing to it the first time. Rows that they wrote before it was published are
 * not in the stream, so they have to be in those that are read. Transactions that write elsewhere are not waited for: some are open for hours.
 *
 * @param before - what was found the last time, if there was one
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

/** The processes of the transactions that write to a table or have it locked against reading; 0 stands for a prepared transaction. */
export async function findBlocking(pool: Pool, table: number): Promise<readonly number[]> {
  const locks = await readLocks(pool, table, ['RowExclusiveLock', 'AccessExclusiveLock'])
  return [...new Set(locks.map(({ pid }) => pid ?? 0))]
}

interface Lock {
  readonly transaction: string
  /** `null`: the transaction is prepared. */
  readonly pid: number | null
}

/** Each write locks the table, and the partition that it goes to, in `RowExclusiveLock` until the transaction has ended and others see it. */
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
