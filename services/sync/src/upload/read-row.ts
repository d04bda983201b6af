import { runPipeline, sql, type Transaction } from '@holdfast/postgres'
import type { UploadRow } from '@holdfast/protocol'
import { columnToJson } from '../encode/value-json.ts'
import { printAsStream } from '../rows/print-as-stream.ts'
import { RUN_OPERATIONS_MAX } from './limits.ts'
import { renderCurrent, type GuardedValue } from './plan-operation.ts'
import type { WritableColumn, WritableTable } from './writable-tables.ts'

export interface RowNow {
  /** In device form. */
  readonly values: UploadRow
  /** Whether the row still equals the version that a write was based on. */
  readonly unchanged: boolean
}

/** A row and the columns to read. */
export interface WantedRow {
  readonly id: string
  readonly table: WritableTable
  readonly columns: readonly WritableColumn[]
}

/** Reads columns of a row as the role assumed by the transaction. `undefined` if it is gone or hidden. */
export async function readRow(
  tx: Transaction,
  input: WantedRow & { readonly guards?: readonly GuardedValue[] },
): Promise<RowNow | undefined> {
  const { id, table, columns, guards = [] } = input
  const built = columns.filter((column) => column.shape.kind !== 'scalar')
  const read = async (): Promise<{ values: UploadRow | null; unchanged: boolean } | undefined> =>
    (await tx.query<{ values: UploadRow | null; unchanged: boolean }>(renderCurrent(id, table, columns, guards)))[0]
  const row = built.length > 0 ? await printedAsStream(tx, read) : await read()
  if (!row?.values) return undefined
  const values = { ...row.values }
  for (const { localName, shape } of built) {
    const text = values[localName]
    if (typeof text === 'string') values[localName] = JSON.parse(columnToJson(shape)(text)) as string
  }
  return { values, unchanged: row.unchanged }
}

/** Whether Postgres prints the columns in device form without further settings. */
export function canReadTogether({ columns }: WantedRow): boolean {
  return columns.every((column) => column.shape.kind === 'scalar')
}

/** Like {@link readRow} for many rows, several hundred per round trip. Keeps the order. */
export async function readTogether(
  tx: Transaction,
  wanted: readonly WantedRow[],
): Promise<readonly (UploadRow | undefined)[]> {
  const rows: (UploadRow | undefined)[] = []
  for (let from = 0; from < wanted.length; from += RUN_OPERATIONS_MAX) {
    const steps = wanted
      .slice(from, from + RUN_OPERATIONS_MAX)
      .map(({ id, table, columns }) => renderCurrent(id, table, columns, []).render())
    const [answer] = await runPipeline(tx.client, [steps], { timeoutMs: 0, rowBytesMax: ROW_BYTES_MAX })
    if (answer?.error) throw answer.error
    for (const step of answer?.steps ?? []) {
      const values = step.rows[0]?.[0]
      rows.push(values ? (JSON.parse(values.toString('utf8')) as UploadRow) : undefined)
    }
  }
  return rows
}

/** Maximum bytes of a row's guarded columns. */
export const ROW_BYTES_MAX = 64 * 1024 * 1024

const PRINTING = ['timezone', 'datestyle', 'intervalstyle', 'extra_float_digits', 'bytea_output', 'xmlbinary'] as const

/** Runs `body` while Postgres prints values as in the change stream. */
async function printedAsStream<T>(tx: Transaction, body: () => Promise<T>): Promise<T> {
  const [before] = await tx.query<Record<(typeof PRINTING)[number], string>>(
    sql`select ${sql.join(PRINTING.map((name) => sql`current_setting(${name}) as ${sql.identifier(name)}`))}`,
  )
  await printAsStream(tx)
  const result = await body()
  for (const name of PRINTING) if (before) await tx.query(sql`select set_config(${name}, ${before[name]}, true)`)
  return result
}

/** Returns the columns that the transaction's role may select. */
export async function readableColumns(tx: Transaction, table: WritableTable): Promise<readonly WritableColumn[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select a.attname as name from pg_catalog.pg_attribute a
     where a.attrelid = format('%I.%I', ${table.schema}::text, ${table.name}::text)::regclass
       and a.attnum > 0 and not a.attisdropped and pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'select')
     order by a.attnum
  `)
  const names = new Set(rows.map((row) => row.name))
  return [...table.columns.values()].filter((column) => names.has(column.name))
}
