import type { TableName } from '@holdfast/policy'
import { quoteName, SQLSTATE, sql, sqlstateOf, type Pool, type Transaction } from '@holdfast/postgres'
import { SIZE_LOCK_TIMEOUT_MS } from '../limits.ts'

/** Bytes of all tables, indexes, long values and partitions included. */
export interface TableSizes {
  readonly bytes: number
  /** Tables that are not counted, because a transaction has them locked. */
  readonly locked: readonly string[]
}

/** Asks for all sizes at once, and for each on its own while some table is locked. */
export async function readSizes(pool: Pool, tables: readonly TableName[]): Promise<TableSizes> {
  const all = await sizeOf(pool, tables)
  if (all !== undefined) return { bytes: all, locked: [] }
  const locked: string[] = []
  let bytes = 0
  for (const table of tables) {
    const size = await sizeOf(pool, [table])
    if (size === undefined) locked.push(`${table.schema}.${table.name}`)
    else bytes += size
  }
  return { bytes, locked }
}

/** Rows of tables by oid as the planner of Postgres estimates them, also of tables that were never analyzed; without those that are locked. */
export async function readEstimates(pool: Pool, tables: readonly TableName[]): Promise<ReadonlyMap<number, number>> {
  const rows = new Map<number, number>()
  for (const { oid, schema, name } of tables) {
    const found = await unlessLocked(pool, async (tx) => {
      const [row] = await tx.query<{ 'QUERY PLAN': readonly { readonly Plan: { readonly 'Plan Rows': number } }[] }>(
        sql`explain (format json) select from ${sql.trusted(quoteName(schema, name))}`,
      )
      return row?.['QUERY PLAN'][0]?.Plan['Plan Rows']
    })
    if (found !== undefined) rows.set(oid, found)
  }
  return rows
}

/** @returns `undefined` while one of the tables is locked */
function sizeOf(pool: Pool, tables: readonly TableName[]): Promise<number | undefined> {
  return unlessLocked(pool, async (tx) => {
    const [row] = await tx.query<{ bytes: string }>(sql`
      select coalesce(sum((
               select coalesce(sum(pg_total_relation_size(t.relid)), pg_total_relation_size(c.oid)) from pg_partition_tree(c.oid) t)), 0)::text as bytes
        from pg_catalog.pg_class c where c.oid = any(${tables.map(({ oid }) => oid)}::int8[]::oid[])`)
    return Number(row?.bytes ?? 0)
  })
}

async function unlessLocked<T>(pool: Pool, read: (tx: Transaction) => Promise<T>): Promise<T | undefined> {
  try {
    return await pool.transaction(async (tx) => {
      await tx.query(sql`select set_config('lock_timeout', ${`${SIZE_LOCK_TIMEOUT_MS}ms`}, true)`)
      return await read(tx)
    })
  } catch (error) {
    if (sqlstateOf(error) === SQLSTATE.lockNotAvailable) return undefined
    throw error
  }
}
