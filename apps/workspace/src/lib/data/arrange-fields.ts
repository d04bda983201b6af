import { type ColumnDescriptor, type FieldUse, parseJson } from '@holdfast/protocol'
import * as v from 'valibot'
import type { FormatterOf } from './field-formatter.ts'
import { type ChoiceWords, isFilledInByServer, type WordedColumn, wordsOf } from './column-words.ts'
import { isPaletteColour } from '../palette.ts'
import { parsedAs, translationIn } from './translation.ts'
import type { FieldPlace, TableInfo } from './tables.ts'

/** A local row of `holdfast.fields`. */
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
  choices: v.optional(v.string(), '{}'),
  choice_colours: v.optional(v.string(), '{}'),
  workspace_id: v.optional(v.nullable(v.string())),
  format: v.optional(v.nullable(v.string())),
  role: v.optional(v.nullable(v.string())),
  closed_choices: v.optional(v.nullable(v.string())),
})
export type StoredField = v.InferOutput<typeof storedFieldSchema>

/** Field placements by field. */
export type FieldLayout = ReadonlyMap<string, FieldPlace>

/**
 * Applies the project's field placements and labels to the tables. Labels are put into column comments, which all screens read.
 *
 * @param stored - rows of `holdfast.fields`; placements of a newer app version are ignored
 * @param workspace - current one; `undefined` until known
 * @param formatterOf - `undefined` until loaded: columns are plain
 */
export function withFields(
  tables: readonly TableInfo[],
  stored: readonly StoredField[],
  workspace?: string,
  formatterOf?: FormatterOf,
): readonly TableInfo[] {
  if (stored.length === 0) return tables
  const here = workspace ?? stored.find(({ workspace_id }) => workspace_id != null)?.workspace_id
  const byTable = Map.groupBy(stored, (row) => `${row.schema_name}.${row.table_name}`)
  return tables.map((table) => {
    const all = byTable.get(`${table.descriptor.schema}.${table.descriptor.table}`)
    if (all === undefined) return table
    // Workspace rows override the project's.
    const known = [...all.filter((row) => row.workspace_id == null), ...all.filter((row) => row.workspace_id === here)]
    const byField = new Map(known.map((row) => [row.field_name, row]))
    const columns = table.descriptor.columns.map((column) =>
      worded(column, byField.get(column.column ?? column.name), formatterOf),
    )
    return {
      ...table,
      descriptor: { ...table.descriptor, columns },
      layout: new Map(
        columns.flatMap((column) => {
          const row = byField.get(column.column ?? column.name)
          return row ? [[column.name, placeOf(row)]] : []
        }),
      ),
    }
  })
}

function placeOf(row: StoredField): FieldPlace {
  return {
    id: row.id,
    workspace: row.workspace_id ?? null,
    words: {
      label: row.label,
      help: row.help,
      translations: row.translations,
      choices: row.choices,
      ...(row.format != null && { format: row.format }),
      ...(row.role != null && { role: row.role }),
      ...(row.closed_choices != null && { closed_choices: row.closed_choices }),
      ...(row.choice_colours !== '{}' && { choice_colours: row.choice_colours }),
    },
    place: row.place === 'main' || row.place === 'beside' || row.place === 'bottom' ? row.place : undefined,
    section: row.section?.trim() || undefined,
    heading: translationIn(row.translations, translationSchema)?.section?.trim() || undefined,
    position: row.position ?? undefined,
    isHidden: row.is_hidden === 1,
  }
}

/** Returns a section's heading in the page's language, from its first field. */
export function headingOf(layout: FieldLayout, section: string): string {
  for (const given of layout.values())
    if (given.section === section && given.heading !== undefined) return given.heading
  return section
}

const wordsSchema = v.record(v.string(), v.string())
const translationSchema = v.object({
  label: v.optional(v.string()),
  help: v.optional(v.string()),
  section: v.optional(v.string()),
  choices: v.optional(wordsSchema),
})
const LABEL = /^[^.\n]{1,40}$/

function worded(
  column: ColumnDescriptor,
  row: StoredField | undefined,
  formatterOf: FormatterOf | undefined,
): WordedColumn {
  if (row === undefined) return column
  const translated = translationIn(row.translations, translationSchema)
  const words = { ...parsedAs(row.choices, wordsSchema), ...translated?.choices }
  const colours = new Map(
    Object.entries(parsedAs(row.choice_colours, wordsSchema) ?? {}).flatMap(([choice, colour]) =>
      isPaletteColour(colour) ? [[choice, colour]] : [],
    ),
  )
  const choiceWords: ChoiceWords = Object.assign(
    new Map(Object.entries(words).filter(([, text]) => text.trim() !== '')),
    colours.size > 0 && { colours },
  )
  const stored = row.format == null ? undefined : parseJson(row.format)
  const format = stored === undefined ? undefined : formatterOf?.(stored, column)
  const kind = (stored as { readonly kind?: string } | null | undefined)?.kind
  return {
    ...labelled(column, row, translated),
    ...((choiceWords.size > 0 || colours.size > 0) && { choiceWords }),
    ...(format && { format }),
    ...(kind && { formatKind: kind }),
    ...(row.role && { use: row.role as FieldUse }),
    ...(row.closed_choices && { closed: parsedAs(row.closed_choices, v.array(v.string())) ?? [] }),
  }
}

function labelled(
  column: ColumnDescriptor,
  row: StoredField,
  translated: v.InferOutput<typeof translationSchema> | undefined,
): ColumnDescriptor {
  const [label, help] = [translated?.label ?? row.label?.trim(), translated?.help ?? row.help?.trim()]
  if (!label && !help) return column
  const given = wordsOf(column)
  const called = [label, given.label].find((text) => text !== undefined && LABEL.test(text))
  if (called === undefined) return column
  return {
    ...column,
    // Preserves the mark for server-filled fields, which is in the overridden comment.
    hasDefault: column.hasDefault || isFilledInByServer(column.comment),
    comment: [`${called}.`, help || given.help].filter(Boolean).join(' '),
  }
}
