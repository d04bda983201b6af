import { sql, type Transaction } from '@holdfast/postgres'
import type { UploadRow } from '@holdfast/protocol'
import { renderCurrent, type GuardedValue } from './plan-operation.ts'
import type { WritableColumn, WritableTable } from './writable-tables.ts'

export interface RowNow {
  /** As the local database would hold it. */
  readonly values: UploadRow
  /** Whether it still is what a write was made from. */
  readonly unchanged: boolean
}

/** Reads columns of a row, as the role that the transaction has assumed. `undefined`: gone, or hidden. */
export async function readRow(
  tx: Transaction,
  input: {
    readonly id: string
    readonly table: WritableTable
    readonly columns: readonly WritableColumn[]
    readonly guards?: readonly GuardedValue[]
  },
): Promise<RowNow | undefined> {
  const { id, table, columns, guards = [] } = input
  const [row] = await tx.query<{ values: UploadRow | null; unchanged: boolean }>(
    renderCurrent(id, table, columns, guards),
  )
  return row?.values ? { values: row.values, unchanged: row.unchanged } : undefined
}

/** The columns of the table that the transaction's role may select, without binary ones: what a device may know of a row. */
export async function readableColumns(tx: Transaction, table: WritableTable): Promise<readonly WritableColumn[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select a.attname as name from pg_catalog.pg_attribute a
     where a.attrelid = format('%I.%I', ${table.schema}::text, ${table.name}::text)::regclass
       and a.attnum > 0 and not a.attisdropped and pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'select')
     order by a.attnum
  `)
  return rows.flatMap(({ name }) => {
    const column = table.columns.get(name)
    return column && column.type !== 'bytea' && column.type !== 'bytea[]' ? [column] : []
  })
}
