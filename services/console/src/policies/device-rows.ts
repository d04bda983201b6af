import { errorMessage } from '@holdfast/foundation'
import { isConnectionLoss, sql, SQLSTATE, sqlstateOf, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { PREVIEW_ROWS_MAX, PREVIEW_TABLE_MS } from '../limits.ts'
import type { SyncedTable } from './synced-tables.ts'

/** Rows of a table on a user's device: their number, up to one above the limit, and a sum that differs for other rows or values. */
export interface RowSummary {
  readonly rows: number
  readonly sum: string
  /** Size of all columns as JSON, as a device downloads them. */
  readonly bytes: number
}

/** A row on a device. */
export interface DeviceRow {
  /** Values of the key's columns. */
  readonly key: readonly (string | null)[]
  /** Hash of its values. */
  readonly hash: string
  readonly bytes: number
}

/** Why rows could not be read. */
export interface ReadProblem {
  readonly problem: string
}

/** Sums up the rows of a table that the user of a transaction sees. */
export async function summarizeRows(reader: TableReader, table: SyncedTable): Promise<RowSummary | ReadProblem> {
  const result = await reader.read<RowSummary>(sql`
    select pg_catalog.count(*)::float8 as rows, coalesce(pg_catalog.sum(d.hash), 0)::text as sum,
           coalesce(pg_catalog.sum(d.bytes), 0)::float8 as bytes
      from (${rowsOf(table)}) d`)
  return 'problem' in result ? result : (result.rows[0] ?? { rows: 0, sum: '0', bytes: 0 })
}

/** Reads the rows of a table that the user of a transaction sees, up to one above the limit. */
export async function readDeviceRows(
  reader: TableReader,
  table: SyncedTable,
): Promise<readonly DeviceRow[] | ReadProblem> {
  const result = await reader.read<DeviceRow>(
    sql`select d.key, d.hash::text as hash, d.bytes from (${rowsOf(table)}) d`,
  )
  return 'problem' in result ? result : result.rows
}

function rowsOf({ schema, name, key, columns }: SyncedTable): SqlFragment {
  const of = (names: readonly string[]): SqlFragment =>
    sql.join(names.map((column) => sql`t.${sql.identifier(column)}`))
  const keys = sql.join(key.map((column) => sql`t.${sql.identifier(column)}::text`))
  return sql`
    select r.key, pg_catalog.hashtextextended(r.key::text || r.value, 0) as hash, pg_catalog.octet_length(r.value) as bytes
      from (select array[${keys}] as key, pg_catalog.to_json((select c from (select ${of(columns)}) c))::text as value
              from ${sql.identifier(schema, name)} t limit ${PREVIEW_ROWS_MAX + 1}) r`
}

/** Reads tables one by one within a transaction, so that a failing or slow policy affects its table only. */
export class TableReader {
  readonly #tx: Transaction
  readonly #endMs: number

  private constructor(tx: Transaction, endMs: number) {
    this.#tx = tx
    this.#endMs = endMs
  }

  /** @param endMs - until when tables are read, by the clock of `performance` */
  static async open(tx: Transaction, endMs: number): Promise<TableReader> {
    await tx.execute(sql`savepoint one_table`)
    return new TableReader(tx, endMs)
  }

  async read<Row extends object>(query: SqlFragment): Promise<{ readonly rows: readonly Row[] } | ReadProblem> {
    const leftMs = Math.floor(Math.min(PREVIEW_TABLE_MS, this.#endMs - performance.now()))
    if (leftMs < 1) return { problem: 'Not compared: the time of the preview was over.' }
    try {
      await this.#tx.execute(sql`select pg_catalog.set_config('statement_timeout', ${String(leftMs)}, true)`)
      return { rows: await this.#tx.query<Row>(query) }
    } catch (error) {
      const state = sqlstateOf(error)
      if (isConnectionLoss(error) || state === undefined) throw error
      await this.#tx.execute(sql`rollback to savepoint one_table`)
      return {
        problem:
          state === SQLSTATE.queryCanceled
            ? `Not compared: reading it as this user takes longer than ${(leftMs / 1_000).toFixed(1)} s.`
            : errorMessage(error),
      }
    }
  }
}
