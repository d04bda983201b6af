import type { ColumnDescriptor, SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import { humanize } from '../format.ts'

/** A table as people see it: its words and which column names a record. */
export interface TableInfo {
  /** Local name, also the part of the address. */
  readonly name: string
  /** `Template items`. */
  readonly label: string
  /** `template item`, for sentences. */
  readonly noun: string
  readonly descriptor: TableDescriptor
  /** The column whose value names a record, or `undefined` when only its id does. */
  readonly titleColumn: string | undefined
}

const TITLE_NAMES = ['title', 'name', 'subject', 'label', 'tag', 'number', 'code', 'prompt', 'email', 'caption']

/** The tables of the project's own schemas, by name; the system's (`holdfast`) are left out. */
export function tablesOf(schema: SchemaDescriptor): readonly TableInfo[] {
  return schema.tables
    .filter((table) => table.schema !== 'holdfast')
    .map(toTableInfo)
    .sort((a, b) => a.label.localeCompare(b.label))
}

export function toTableInfo(descriptor: TableDescriptor): TableInfo {
  return {
    name: descriptor.name,
    label: humanize(descriptor.table),
    noun: singular(descriptor.table.replaceAll('_', ' ')),
    descriptor,
    titleColumn: titleColumnOf(descriptor),
  }
}

/** A usual name for a title, else the first text column that is not an id or a link. */
export function titleColumnOf({ columns }: TableDescriptor): string | undefined {
  for (const name of TITLE_NAMES) if (columns.some((column) => column.name === name)) return name
  return columns.find(isPlainText)?.name
}

function isPlainText({ name, type, references }: ColumnDescriptor): boolean {
  return name !== 'id' && references === undefined && (type === 'text' || type.startsWith('character varying'))
}

/** English only, and only for words in sentences: `inspections` → `inspection`, `categories` → `category`. */
export function singular(words: string): string {
  if (words.endsWith('ies')) return `${words.slice(0, -3)}y`
  if (/(ss|us|is)$/.test(words)) return words
  if (/(sh|ch|x|ss)es$/.test(words)) return words.replace(/es$/, '')
  if (words === 'people') return 'person'
  return words.replace(/s$/, '')
}
