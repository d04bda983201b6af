import { type SchemaDescriptor, type TableDescriptor, titleColumnOf } from '@holdfast/protocol'
import { humanize } from '../format.ts'
import { looksOfName, type TableLooks } from './table-looks.ts'
import { pageLocale } from '../language.ts'

/** A table as people see it: its words and which column names a record. */
export interface TableInfo extends TableLooks {
  /** Local name, also the part of the address. */
  readonly name: string
  /** `Template items`. */
  readonly label: string
  /** `template item`, for sentences. */
  readonly noun: string
  /** `template items`, for sentences. */
  readonly many: string
  /** What the table is for, from its comment, without a first sentence that only repeats the name. */
  readonly description: string | undefined
  readonly descriptor: TableDescriptor
  /** The column whose value names a record, or `undefined` when only its id does. */
  readonly titleColumn: string | undefined
  /** A column that tells two records of the same title apart, such as a number. */
  readonly codeColumn: string | undefined
  /** Where the project put fields on the record's page, by field; those that are not in it stand as follows from the schema. */
  readonly layout?: ReadonlyMap<string, FieldPlace>
}

/** Where a field stands on the page of a record. What is `undefined` follows from the schema. */
export interface FieldPlace {
  /** Of the row in `holdfast.fields`. */
  readonly id: string
  /** The workspace that the row is of; `null`: the project. */
  readonly workspace: string | null
  /** The other columns of the row: what the field is called. */
  readonly words: Readonly<Record<string, string | null>>
  readonly place: 'main' | 'beside' | 'bottom' | undefined
  /** The heading that it stands under in the main part. */
  readonly section: string | undefined
  /** What the section is called in the page's language, where that is another word. */
  readonly heading: string | undefined
  readonly position: number | undefined
  readonly isHidden: boolean
}

const CODE_NAMES = ['number', 'code', 'tag', 'serial_no']

/** The tables of the project's own schemas, by name; the system's (`holdfast`) are left out. */
export function tablesOf(schema: SchemaDescriptor): readonly TableInfo[] {
  const known = tablesOfSchema.get(schema)
  if (known) return known
  const tables = schema.tables
    .filter((table) => table.schema !== 'holdfast')
    .map(toTableInfo)
    .sort((a, b) => a.label.localeCompare(b.label, pageLocale()))
  tablesOfSchema.set(schema, tables)
  return tables
}

/** One list for each schema: a screen that asks again renders nothing again. */
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

/** English only, and only for words in sentences: `inspections` → `inspection`, `categories` → `category`. */
export function singular(words: string): string {
  if (words.endsWith('ies')) return `${words.slice(0, -3)}y`
  if (/(ss|us|is)$/.test(words)) return words
  if (/(sh|ch|x|ss)es$/.test(words)) return words.replace(/es$/, '')
  if (words === 'people') return 'person'
  return words.replace(/s$/, '')
}
