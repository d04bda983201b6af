import { column, Schema, Table, type TableOptions } from '@powersync/common'
import type { ColumnDescriptor, SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import type { LinksOf } from '../upload/depends-on.ts'
import { localTables } from './local-tables.ts'

/** SQLite's limit with the columns that PowerSync adds. */
const COLUMNS_MAX = 1_999

/** The local database for what the server says may be here. */
export function toLocalSchema(descriptor: SchemaDescriptor): Schema {
  const synced = distinct(descriptor.tables).map((table) => [table.name, toTable(table)] as const)
  return new Schema({ ...Object.fromEntries(synced), ...localTables })
}

function toTable(table: TableDescriptor): Table {
  // PowerSync brings the id itself, and SQLite compares names without regard to case.
  const columns = distinct(table.columns, ['id']).slice(0, COLUMNS_MAX)
  const names = new Set(columns.map((entry) => entry.name))
  const indexes = table.indexes.filter((index) => index.every((name) => names.has(name)))
  return new Table(Object.fromEntries(columns.map((entry) => [entry.name, column[entry.local]])), {
    indexes: Object.fromEntries(indexes.map((index) => [`by_${index.join('_')}`, [...index]])),
    trackMetadata: true,
    ...trackGuarded(columns),
  })
}

/** Guarded rows need their guarded values with every change, not only with a change of those. */
function trackGuarded(columns: readonly ColumnDescriptor[]): Pick<TableOptions, 'trackPrevious'> {
  const guarded = columns.filter(({ guard }) => guard !== undefined)
  if (guarded.length === 0) return {}
  const onlyWhenChanged = guarded.every(({ guard }) => guard === 'column')
  return { trackPrevious: { columns: guarded.map(({ name }) => name), onlyWhenChanged } }
}

/** How a column is guarded, if it is. */
export type GuardOf = (table: string, column: string) => ColumnDescriptor['guard']

/** How each column is guarded, by table and column. */
export function guardsOfSchema(descriptor: SchemaDescriptor): GuardOf {
  const guards = new Map(
    descriptor.tables.map((table) => [table.name, new Map(table.columns.map(({ name, guard }) => [name, guard]))]),
  )
  return (table, name) => guards.get(table)?.get(name)
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
