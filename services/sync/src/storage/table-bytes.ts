import { SQLSTATE, sql, sqlstateOf, type Pool } from '@holdfast/postgres'
import { SIZE_LOCK_TIMEOUT_MS } from '../limits.ts'

/** Returns the size of tables in bytes, including partitions; infinite while a user's transaction has locked one of them. */
export async function readTableBytes(pool: Pool, oids: readonly number[]): Promise<number> {
  try {
    return await pool.transaction(async (tx) => {
      await tx.query(sql`select set_config('lock_timeout', ${`${SIZE_LOCK_TIMEOUT_MS}ms`}, true)`)
      const [row] = await tx.query<{ bytes: string }>(sql`
        select coalesce(sum((
          select coalesce(sum(pg_table_size(t.relid)), pg_table_size(o.oid)) from pg_partition_tree(o.oid) t
        )), 0)::text as bytes
          from (select unnest(${oids}::int8[])::oid) o (oid) join pg_catalog.pg_class c on c.oid = o.oid
      `)
      return Number(row?.bytes ?? 0)
    })
  } catch (error) {
    if (sqlstateOf(error) === SQLSTATE.lockNotAvailable) return Number.POSITIVE_INFINITY
    throw error
  }
}
