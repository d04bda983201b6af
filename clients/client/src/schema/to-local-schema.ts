import { column, Schema, Table } from '@powersync/common'
import type { ColumnDescriptor, SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import type { LinksOf } from '../upload/depends-on.ts'
import { localTables } from './local-tables.ts'

/** SQLite's limit with the columns that PowerSync adds. */
const COLUMNS_MAX = 1_999

/** Enum columns with these names hold where a record stands; a change of them is sent with the value it was made from. */
const GUARDED_NAMES = new Set(['state', 'status'])

/** The local database for what the server says may be here. */
export function toLocalSchema(descriptor: SchemaDescriptor): Schema {
  const synced = distinct(descriptor.tables).map((table) => [table.name, toTable(table)] as const)
  return new Schema({ ...Object.fromEntries(synced), ...localTables })
}

function toTable(table: TableDescriptor): Table {
  // PowerSync brings the id itself, and SQLite compares names without regard to case.
  const columns = distinct(table.columns, ['id']).slice(0, COLUMNS_MAX)
  const names = new Set(columns.map((entry) => entry.name))
  const guarded = columns.filter(isGuarded).map((entry) => entry.name)
  const indexes = table.indexes.filter((index) => index.every((name) => names.has(name)))
  return new Table(Object.fromEntries(columns.map((entry) => [entry.name, column[entry.local]])), {
    indexes: Object.fromEntries(indexes.map((index) => [`by_${index.join('_')}`, [...index]])),
    trackMetadata: true,
    ...(guarded.length > 0 ? { trackPrevious: { columns: guarded, onlyWhenChanged: true } } : {}),
  })
}

/** Whether a change of the column is sent with the value it was made from, so that a conflict is seen. */
export function isGuarded(entry: ColumnDescriptor): boolean {
  return entry.choices !== undefined && GUARDED_NAMES.has(entry.name)
}

function distinct<T extends { readonly name: string }>(
  entries: readonly T[],
  taken: readonly string[] = [],
): readonly T[] {
  const seen = new Set(taken)
  return entries.filter(({ name }) => {
    const folded = name.toLowerCase()
    if (seen.has(folded)) return false
    seen.add(folded)
    return true
  })
}

/** The links between tables, as the server's foreign keys have them. */
export function linksOfSchema(descriptor: SchemaDescriptor): LinksOf {
  const links = new Map(
    descriptor.tables.map((table) => [
      table.name,
      new Map(table.columns.flatMap(({ name, references }) => (references ? [[name, references.table] as const] : []))),
    ]),
  )
  const none: ReadonlyMap<string, string> = new Map()
  return (table) => links.get(table) ?? none
}
