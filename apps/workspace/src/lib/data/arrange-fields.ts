import type { ColumnDescriptor } from '@holdfast/protocol'
import * as v from 'valibot'
import { isFilledInByServer, wordsOf } from './column-words.ts'
import { pageLanguage } from '../language.ts'
import type { FieldPlace, TableInfo } from './tables.ts'

/** A row of `holdfast.fields` on this device. */
export const storedFieldSchema = v.object({
  id: v.string(),
  schema_name: v.string(),
  table_name: v.string(),
  field_name: v.string(),
  label: v.nullable(v.string()),
  help: v.nullable(v.string()),
  translations: v.string(),
  place: v.nullable(v.string()),
  section: v.nullable(v.string()),
  position: v.nullable(v.number()),
  is_hidden: v.number(),
})
export type StoredField = v.InferOutput<typeof storedFieldSchema>

/**
 * Tables with the places and words that the project gave their fields. Words go where all screens read them, into the comment of the column.
 *
 * @param stored - rows of `holdfast.fields`; a place of a newer version of the app counts as not given
 */
export function withFields(tables: readonly TableInfo[], stored: readonly StoredField[]): readonly TableInfo[] {
  if (stored.length === 0) return tables
  const byTable = Map.groupBy(stored, (row) => `${row.schema_name}.${row.table_name}`)
  return tables.map((table) => {
    const rows = byTable.get(`${table.descriptor.schema}.${table.descriptor.table}`)
    if (rows === undefined) return table
    const byField = new Map(rows.map((row) => [row.field_name, row]))
    const columns = table.descriptor.columns.map((column) => worded(column, byField.get(column.name)))
    return {
      ...table,
      descriptor: { ...table.descriptor, columns },
      layout: new Map(rows.map((row) => [row.field_name, placeOf(row)])),
    }
  })
}

function placeOf(row: StoredField): FieldPlace {
  return {
    id: row.id,
    place: row.place === 'main' || row.place === 'beside' || row.place === 'bottom' ? row.place : undefined,
    section: row.section?.trim() || undefined,
    position: row.position ?? undefined,
    isHidden: row.is_hidden === 1,
  }
}

const translationSchema = v.object({ label: v.optional(v.string()), help: v.optional(v.string()) })
const LABEL = /^[^.\n]{1,40}$/

function worded(column: ColumnDescriptor, row: StoredField | undefined): ColumnDescriptor {
  if (row === undefined) return column
  const translated = translationIn(row.translations)
  const [label, help] = [translated?.label ?? row.label?.trim(), translated?.help ?? row.help?.trim()]
  if (!label && !help) return column
  const given = wordsOf(column)
  const called = [label, given.label].find((text) => text !== undefined && LABEL.test(text))
  if (called === undefined) return column
  return {
    ...column,
    // Who fills it in is in the comment of the database, which is written over here.
    hasDefault: column.hasDefault || isFilledInByServer(column.comment),
    comment: [`${called}.`, help || given.help].filter(Boolean).join(' '),
  }
}

/** The words in the page's language; none where they cannot be read. */
function translationIn(text: string): v.InferOutput<typeof translationSchema> | undefined {
  try {
    const parsed = v.safeParse(v.record(v.string(), translationSchema), JSON.parse(text))
    return parsed.success ? parsed.output[pageLanguage()] : undefined
  } catch {
    return undefined
  }
}
