import * as v from 'valibot'
import { isPaletteColour } from '../palette.ts'
import { TABLE_ICONS } from './table-looks.ts'
import { singular, type TableInfo } from './tables.ts'
import { pageLocale } from '../language.ts'
import { shellMessages } from '../../messages/shell.ts'
import { translationIn } from './translation.ts'

/** A local row of `holdfast.tables`. */
export const storedLooksSchema = v.object({
  schema_name: v.string(),
  table_name: v.string(),
  label: v.nullable(v.string()),
  icon: v.nullable(v.string()),
  color: v.nullable(v.string()),
  section: v.nullable(v.string()),
  position: v.nullable(v.number()),
  is_supporting: v.number(),
  translations: v.optional(v.string(), '{}'),
  workspace_id: v.optional(v.nullable(v.string()), null),
})
export type StoredLooks = v.InferOutput<typeof storedLooksSchema>

const translationSchema = v.object({
  label: v.optional(v.string()),
  one: v.optional(v.string()),
  description: v.optional(v.string()),
  section: v.optional(v.string()),
})

/**
 * Applies the project's looks to the tables and sorts them: by position, then by label; supporting tables last.
 *
 * @param stored - rows of `holdfast.tables`; values of a newer app version are ignored
 * @param workspaces - accessible workspace ids: tables created for others are excluded. `undefined` if unknown
 */
export function withLooks(
  tables: readonly TableInfo[],
  stored: readonly StoredLooks[],
  workspaces?: Pick<ReadonlySet<string>, 'has'>,
): readonly TableInfo[] {
  const given = new Map(stored.map((row) => [`${row.schema_name}.${row.table_name}`, row]))
  const rowOf = ({ descriptor }: TableInfo): StoredLooks | undefined =>
    given.get(`${descriptor.schema}.${descriptor.table}`)
  const isOthers = (table: TableInfo): boolean => {
    const workspace = rowOf(table)?.workspace_id ?? null
    return workspace !== null && workspaces !== undefined && !workspaces.has(workspace)
  }
  return tables
    .filter((table) => !isOthers(table))
    .map((table) => ({ table: dressed(table, rowOf(table)), position: rowOf(table)?.position ?? Infinity }))
    .sort(
      (a, b) =>
        Number(a.table.isSupporting) - Number(b.table.isSupporting) ||
        (a.position === b.position ? 0 : a.position - b.position) ||
        a.table.label.localeCompare(b.table.label, pageLocale()),
    )
    .map(({ table }) => table)
}

function dressed(table: TableInfo, row: StoredLooks | undefined): TableInfo {
  if (row === undefined) return table
  const { icon, color } = row
  const translated = translationIn(row.translations, translationSchema)
  return {
    ...table,
    ...namesOf(row.label, translated),
    description:
      translated?.description?.trim() || (repeatsLabel(table.description, row.label) ? undefined : table.description),
    icon: TABLE_ICONS.find((name) => name === icon) ?? table.icon,
    colour: color !== null && isPaletteColour(color) ? color : table.colour,
    section: translated?.section?.trim() || row.section?.trim() || undefined,
    isSupporting: row.is_supporting === 1,
    ...(row.workspace_id != null && { madeIn: row.workspace_id }),
  }
}

/** Whether a description only repeats the label: the comment of a table created in the app does. */
function repeatsLabel(description: string | undefined, label: string | null): boolean {
  return description !== undefined && description.toLowerCase() === `${label?.trim().toLowerCase() ?? ''}.`
}

/** Formats a translated label for use within sentences. */
function namesOf(
  given: string | null,
  translated: v.InferOutput<typeof translationSchema> | undefined,
): Partial<Pick<TableInfo, 'label' | 'noun' | 'many'>> {
  const own = translated?.label?.trim()
  if (own) return { label: own, noun: translated?.one?.trim() || own, many: own }
  const label = given?.trim()
  if (!label) return {}
  const many = label.toLowerCase()
  const noun = singular(many)
  // Names without a plural, such as "Maintenance", do not say what one record is called.
  return noun === many ? { label, noun: shellMessages.record, many: shellMessages.records } : { label, noun, many }
}

/** Tables under a common heading, in the order of their first ones. */
export interface TableSection {
  /** `undefined` for tables without a heading. */
  readonly title: string | undefined
  readonly tables: readonly TableInfo[]
}

export function sectionsOf(tables: readonly TableInfo[]): readonly TableSection[] {
  const sections = new Map<string | undefined, TableInfo[]>()
  for (const table of tables) {
    const together = sections.get(table.section)
    if (together) together.push(table)
    else sections.set(table.section, [table])
  }
  return [...sections].map(([title, together]) => ({ title, tables: together }))
}
