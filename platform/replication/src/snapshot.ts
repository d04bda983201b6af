import { HoldfastError, assert } from '@holdfast/foundation'
import { quoteLiteral, sql, type Queryable } from '@holdfast/postgres'
import { copyRows } from './copy/copy-rows.ts'
import type { Tuple } from './events.ts'
import { sqlState } from './connect.ts'

export interface ReadTableOptions {
  readonly url: string
  /** Of {@link CreatedSlot}, still held. */
  readonly snapshotName: string
  readonly schema: string
  readonly table: string
  /** In the order in which the values are wanted. */
  readonly columns: readonly string[]
  /** Rows per batch at most, 1000 by default; fewer when they are large. */
  readonly batchRows?: number
  /** Ends the reading at once, also while the table is locked. */
  readonly signal?: AbortSignal
  /** How long a lock is waited for, in milliseconds. Default: as long as it takes. */
  readonly lockTimeoutMs?: number
}

/**
 * Reads a whole table as it was at the snapshot, in no particular order. Of a partitioned table all partitions are read, of any other only
 * its own rows, as the publication has it. Policies do not apply, or the read fails.
 *
 * @throws {HoldfastError} `replication_snapshot_gone` when the slot's connection has ended, `replication_connection_lost`; an error with SQLSTATE 55P03 when a lock
 * was waited for too long
 */
export async function* readTable(options: ReadTableOptions): AsyncGenerator<readonly Tuple[], void, void> {
  const { url, snapshotName, schema, table, columns } = options
  assert(columns.length > 0, 'a row has columns')
  yield* copyRows({
    url,
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.batchRows === undefined ? {} : { batchRows: options.batchRows }),
    query: async (db) => {
      await enterSnapshot(db, snapshotName)
      await db.execute(sql`set local lock_timeout = ${sql.trusted(String(options.lockTimeoutMs ?? 0))}`)
      const list = sql.join(columns.map((column) => sql.identifier(column)))
      const only = (await isPartitioned(db, schema, table)) ? sql`` : sql`only `
      return sql`select ${list} from ${only}${sql.identifier(schema, table)}`
    },
  })
}

async function isPartitioned(db: Queryable, schema: string, table: string): Promise<boolean> {
  const rows = await db.query<{ partitioned: boolean }>(
    sql`select c.relkind = 'p' as partitioned from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = ${schema} and c.relname = ${table}`,
  )
  return rows[0]?.partitioned === true
}

/** Begins a read-only transaction that sees the data of an exported snapshot. */
async function enterSnapshot(db: Queryable, snapshotName: string): Promise<void> {
  await db.execute(sql`begin isolation level repeatable read read only`)
  try {
    await db.execute(sql`set transaction snapshot ${sql.trusted(quoteLiteral(snapshotName))}`)
  } catch (error) {
    // 22023: "invalid snapshot identifier", 42704: "snapshot … does not exist", by version
    if (sqlState(error) !== '22023' && sqlState(error) !== '42704') throw error
    throw new HoldfastError('replication_snapshot_gone', 503, `snapshot ${snapshotName} no longer exists`, {
      detail: 'The connection that exported it has ended.',
      hint: 'Create a slot again and keep it until all tables are read.',
      cause: error,
    })
  }
  await db.execute(sql`set local search_path = pg_catalog`)
  await db.execute(sql`set local row_security = off`)
}
