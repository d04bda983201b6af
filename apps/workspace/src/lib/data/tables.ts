import { type SchemaDescriptor, type TableDescriptor, titleColumnOf } from '@holdfast/protocol'
import { humanize } from '../format.ts'
import { isFilesTable } from './photo-table.ts'
import { looksOfName, type TableLooks } from './table-looks.ts'
import { pageLocale } from '../language.ts'

/** A table for display: labels and the column that names a record. */
export interface TableInfo extends TableLooks {
  /** Local name, also used in URLs. */
  readonly name: string
  /** `Template items`. */
  readonly label: string
  /** `template item`, for sentences. */
  readonly noun: string
  /** `template items`, for sentences. */
  readonly many: string
  /** Purpose from the comment, without a first sentence that repeats the name. */
  readonly description: string | undefined
  readonly descriptor: TableDescriptor
  /** Column that names a record; `undefined` if only the id does. */
  readonly titleColumn: string | undefined
  /** Column that distinguishes records with equal titles, such as a number. */
  readonly codeColumn: string | undefined
  /** Field placements configured by the project; others follow from the schema. */
  readonly layout?: ReadonlyMap<string, FieldPlace>
  /** Id of the workspace that created the table in the app; `undefined` for the project's tables. */
  readonly madeIn?: string
}

/** Placement of a field on the record page. `undefined` parts follow from the schema. */
export interface FieldPlace {
  /** Id of the row in `holdfast.fields`. */
  readonly id: string
  /** Workspace of the row; `null` for the project. */
  readonly workspace: string | null
  /** Other columns of the row: labels. */
  readonly words: Readonly<Record<string, string | null>>
  readonly place: 'main' | 'beside' | 'bottom' | undefined
  /** Heading in the main part. */
  readonly section: string | undefined
  /** Localized heading, if different. */
  readonly heading: string | undefined
  readonly position: number | undefined
  readonly isHidden: boolean
}

const CODE_NAMES = ['number', 'code', 'tag', 'serial_no']

/** Returns the tables of the project's schemas by name, without those of `holdfast` and those with files of fields. */
export function tablesOf(schema: SchemaDescriptor): readonly TableInfo[] {
  const known = tablesOfSchema.get(schema)
  if (known) return known
  const tables = schema.tables
    .filter((table) => table.schema !== 'holdfast' && !isFilesTable(table))
    .map(toTableInfo)
    .sort((a, b) => a.label.localeCompare(b.label, pageLocale()))
  tablesOfSchema.set(schema, tables)
  return tables
}

/** Cached per schema, so that screens do not rerender. */
const tablesOfSchema = new WeakMap<SchemaDescriptor, readonly TableInfo[]>()

export function toTableInfo(descriptor: TableDescriptor): TableInfo {
  const label = humanize(descriptor.table)
  const titleColumn = titleColumnOf(descriptor.columns)
  const noun = singular(descriptor.table.replaceAll('_', ' '))
  return {
    ...looksOfName(noun),
    name: descriptor.name,
    label,
    description: describe(descriptor.comment, label),
    noun,
    many: label.toLowerCase(),
    descriptor,
    titleColumn,
    codeColumn: CODE_NAMES.find(
      (name) => name !== titleColumn && descriptor.columns.some((column) => column.name === name),
    ),
  }
}

function describe(comment: string | undefined, label: string): string | undefined {
  const text = comment?.trim() ?? ''
  const repeats = `${text.toLowerCase()} `.startsWith(`${label.toLowerCase()}. `)
  const rest = repeats ? text.slice(label.length + 2) : text
  return rest === '' ? undefined : rest
}

/** Singular of English words within sentences: `inspections` → `inspection`, `categories` → `category`. */
export function singular(words: string): string {
  if (words.endsWith('ies')) return `${words.slice(0, -3)}y`
  if (/(ss|us|is)$/.test(words)) return words
  if (/(sh|ch|x|ss)es$/.test(words)) return words.replace(/es$/, '')
  if (words === 'people') return 'person'
  return words.replace(/s$/, '')
}
