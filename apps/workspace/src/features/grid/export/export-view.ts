import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { FileColumn } from '../../../lib/exchange/file-columns.ts'
import { type ExportedRecord, type FileFormat, renderRecords } from '../../../lib/exchange/render-records.ts'
import type { FieldValue } from '../../../lib/fields/field.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import { columnsSql, type GridQuery, LABEL_PREFIX, orderSql, whereSql } from '../query/grid-query.ts'
import type { Sort } from '../query/sort.ts'

/** Records per read; few enough to keep the page responsive between reads. */
const SLICE = 500

export interface ExportOptions {
  readonly database: Pick<CommonPowerSyncDatabase, 'getAll'>
  readonly query: GridQuery
  /** Only these records; `undefined`: those of the view. */
  readonly ids?: readonly string[] | undefined
  /** Fields that the view is grouped by; they sort before its own order. */
  readonly groups: readonly Sort[]
  readonly columns: readonly FileColumn[]
  readonly format: FileFormat
  readonly title: string
  readonly signal: AbortSignal
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Renders the records of a view in its order. The ids are read once at the start, the values in slices. Records deleted in between are left out.
 *
 * @throws the abort reason of `signal`; `CellTooLong`
 */
export async function exportView(options: ExportOptions): Promise<{ readonly file: Blob; readonly records: number }> {
  const { database, query, groups, columns, format, title, signal, onProgress } = options
  const where = whereSql(query)
  const table = tableSql(query)
  const rows = await database.getAll<{ readonly id: string }>(
    options.ids === undefined
      ? `select t.id as id from ${table}${where.text} order by ${orderSql(query, groups)}`
      : `select t.id as id from json_each(?) page cross join ${table} on t.id = page.value order by ${orderSql(query, groups)}`,
    options.ids === undefined ? [...where.values] : [JSON.stringify(options.ids)],
  )
  const ids = rows.map(({ id }) => id)
  const fields = [...new Set(columns.map(({ field }) => field))]
  const { text } = columnsSql({ ...query, fields, rules: [] })
  let records = 0

  async function* slices(): AsyncGenerator<readonly ExportedRecord[]> {
    for (let from = 0; from < ids.length; from += SLICE) {
      signal.throwIfAborted()
      const slice = await database.getAll<Readonly<Record<string, FieldValue>>>(
        `select ${text} from json_each(?) page cross join ${table} on t.id = page.value order by page.key`,
        [JSON.stringify(ids.slice(from, from + SLICE))],
      )
      records += slice.length
      onProgress(Math.min(from + SLICE, ids.length), ids.length)
      yield slice.map((values) => ({ values, titles: titlesOf(values) }))
    }
    signal.throwIfAborted()
  }
  onProgress(0, ids.length)
  return { file: await renderRecords(format, columns, slices(), title), records }
}

function titlesOf(row: Readonly<Record<string, FieldValue>>): Readonly<Record<string, FieldValue>> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name.startsWith(LABEL_PREFIX))
      .map(([name, title]) => [name.slice(LABEL_PREFIX.length), title]),
  )
}
