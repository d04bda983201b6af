import type { PrintRow } from '../../../components/print/print-table.tsx'
import type { ExportedRecord } from '../../../lib/exchange/render-records.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { formatValue } from '../../../lib/fields/format-value.ts'
import { type ReadOptions, readView } from '../export/export-view.ts'
import { countSql } from '../query/grid-query.ts'

/** Limit of printed records: browsers lay out as many in a few seconds, on about 150 pages. */
export const PRINTED_MAX = 5_000

export type PrintedView =
  | {
      readonly kind: 'rows'
      readonly rows: readonly PrintRow[]
      readonly records: number
      /** Fields with a value in any record; those without would take the others' room. */
      readonly fields: readonly Field[]
    }
  /** Nothing was read. */
  | { readonly kind: 'too_many'; readonly count: number }

/**
 * Reads all records of a view as texts, in its order, with a heading before each group of its outermost grouping.
 *
 * @throws the abort reason of `signal`
 */
export async function readPrintedView(options: ReadOptions): Promise<PrintedView> {
  const { database, query, fields } = options
  const counting = countSql(query)
  const [counted] = await database.getAll<{ readonly rows: number }>(counting.text, [...counting.values])
  const count = counted?.rows ?? 0
  if (count > PRINTED_MAX) return { kind: 'too_many', count }
  const outer = query.fields.find(({ name }) => name === options.groups[0]?.field)
  const read = outer && !fields.includes(outer) ? [...fields, outer] : fields
  const rows: PrintRow[] = []
  let records = 0
  let group: string | undefined
  for await (const slice of readView({ ...options, fields: read })) {
    for (const record of slice) {
      const id = String(record.values['id'])
      const heading = outer && `${outer.label}: ${textOf(outer, record) || '–'}`
      if (heading !== group) rows.push({ id: `group-${id}`, group: heading ?? '' })
      group = heading
      rows.push({ id, cells: fields.map((field) => textOf(field, record)) })
      records += 1
    }
  }
  const isFilled = fields.map((_, index) => rows.some((row) => 'cells' in row && row.cells[index] !== ''))
  const filled = <T>(list: readonly T[]): readonly T[] => list.filter((_, index) => isFilled[index] || records === 0)
  return {
    kind: 'rows',
    rows: rows.map((row) => ('cells' in row ? { ...row, cells: filled(row.cells) } : row)),
    records,
    fields: filled(fields),
  }
}

function textOf(field: Field, { values, titles }: ExportedRecord): string {
  return formatValue(field, values[field.name] ?? null, titles[field.name] ?? null)
}
