import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { FileColumn } from '../../../lib/exchange/file-columns.ts'
import { type ExportedRecord, type FileFormat, renderRecords } from '../../../lib/exchange/render-records.ts'
import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import { columnsSql, type GridQuery, LABEL_PREFIX, orderSql, whereSql } from '../query/grid-query.ts'
import type { Sort } from '../query/sort.ts'

/** Records per read; few enough to keep the page responsive between reads. */
const SLICE = 500

export interface ReadOptions {
  readonly database: Pick<CommonPowerSyncDatabase, 'getAll'>
  readonly query: GridQuery
  /** Only these records; `undefined`: those of the view. */
  readonly ids?: readonly string[] | undefined
  /** Fields that the view is grouped by; they sort before its own order. */
  readonly groups: readonly Sort[]
  /** Fields that are read. */
  readonly fields: readonly Field[]
  readonly signal: AbortSignal
  readonly onProgress: (done: number, total: number) => void
}

export interface ExportOptions extends Omit<ReadOptions, 'fields'> {
  readonly columns: readonly FileColumn[]
  readonly format: FileFormat
  readonly title: string
}

/**
 * Renders the records of a view in its order.
 *
 * @throws the abort reason of `signal`; `CellTooLong`
 */
export async function exportView(options: ExportOptions): Promise<{ readonly file: Blob; readonly records: number }> {
  const { columns, format, title } = options
  const fields = [...new Set(columns.map(({ field }) => field))]
  let records = 0
  async function* counted(): AsyncGenerator<readonly ExportedRecord[]> {
    for await (const slice of readView({ ...options, fields })) {
      records += slice.length
      yield slice
    }
  }
  return { file: await renderRecords(format, columns, counted(), title), records }
}

/**
 * Reads the records of a view in its order. The ids are read once at the start, the values in slices. Records deleted in between are left out.
 *
 * @throws the abort reason of `signal`
 */
export async function* readView(options: ReadOptions): AsyncGenerator<readonly ExportedRecord[]> {
  const { database, query, groups, fields, signal, onProgress } = options
  const where = whereSql(query)
  const table = tableSql(query)
  const rows = await database.getAll<{ readonly id: string }>(
    options.ids === undefined
      ? `select t.id as id from ${table}${where.text} order by ${orderSql(query, groups)}`
      : `select t.id as id from json_each(?) page cross join ${table} on t.id = page.value order by ${orderSql(query, groups)}`,
    options.ids === undefined ? [...where.values] : [JSON.stringify(options.ids)],
  )
  const ids = rows.map(({ id }) => id)
  const { text } = columnsSql({ ...query, fields, rules: [] })
  onProgress(0, ids.length)
  for (let from = 0; from < ids.length; from += SLICE) {
    signal.throwIfAborted()
    const slice = await database.getAll<Readonly<Record<string, FieldValue>>>(
      `select ${text} from json_each(?) page cross join ${table} on t.id = page.value order by page.key`,
      [JSON.stringify(ids.slice(from, from + SLICE))],
    )
    onProgress(Math.min(from + SLICE, ids.length), ids.length)
    yield slice.map((values) => ({ values, titles: titlesOf(values) }))
  }
  signal.throwIfAborted()
}

function titlesOf(row: Readonly<Record<string, FieldValue>>): Readonly<Record<string, FieldValue>> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name.startsWith(LABEL_PREFIX))
      .map(([name, title]) => [name.slice(LABEL_PREFIX.length), title]),
  )
}
