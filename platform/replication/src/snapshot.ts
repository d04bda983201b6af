import { HoldfastError, assert } from '@holdfast/foundation'
import { quoteLiteral, sql, type Queryable } from '@holdfast/postgres'
import { copyRows } from './copy/copy-rows.ts'
import type { Tuple } from './events.ts'
import { sqlState } from './connect.ts'

export interface ReadTableOptions {
  readonly url: string
  /** From an open {@link CreatedSlot}. */
  readonly snapshotName: string
  readonly schema: string
  readonly table: string
  /** In the order of the returned values. */
  readonly columns: readonly string[]
  /** Maximum rows per batch, default 1000; fewer if large. */
  readonly batchRows?: number
  /** Cancels immediately, even while the table is locked. */
  readonly signal?: AbortSignal
  /** Lock timeout in ms. Default: none. */
  readonly lockTimeoutMs?: number
}

/**
 * Reads a whole table as of the snapshot, unordered. Reads all partitions of a partitioned table; of others only their own rows, matching the publication.
 * Fails if policies would apply.
 *
 * @throws {HoldfastError} `replication_snapshot_gone` if the slot's connection has ended, `replication_connection_lost`; SQLSTATE 55P03 on a lock timeout
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

/** Starts a read-only transaction with an exported snapshot. */
async function enterSnapshot(db: Queryable, snapshotName: string): Promise<void> {
  await db.execute(sql`begin isolation level repeatable read read only`)
  try {
    await db.execute(sql`set transaction snapshot ${sql.trusted(quoteLiteral(snapshotName))}`)
  } catch (error) {
    // 22023: "invalid snapshot identifier", 42704: "snapshot … does not exist", depending on the version
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
