import { column, Schema, Table, type TableOptions } from '@powersync/common'
import {
  foldName,
  isLocalColumnName,
  isLocalTableName,
  type ColumnDescriptor,
  type SchemaDescriptor,
  type TableDescriptor,
} from '@holdfast/protocol'
import { localTables } from './local-tables.ts'

/** Builds the local schema from the server's description, with local names. Skips tables and columns without one, from older servers. */
export function toLocalSchema(descriptor: SchemaDescriptor): Schema {
  const tables = distinct(
    descriptor.tables.filter(({ name }) => isLocalTableName(name)),
    Object.keys(localTables),
  )
  const taken = new Set(tables.map(({ name }) => foldName(name)))
  const synced = tables.map((table) => [table.name, toTable(table, taken)] as const)
  return new Schema({ ...Object.fromEntries(synced), ...localTables })
}

/** @param taken - lowercase SQLite names without the prefix shared by PowerSync's tables and indexes */
function toTable(table: TableDescriptor, taken: Set<string>): Table {
  // PowerSync adds the id itself, and SQLite names are case-insensitive.
  const columns = distinct(
    table.columns.filter(({ name }) => isLocalColumnName(name)),
    ['id'],
  )
  const names = new Set(columns.map((entry) => entry.name))
  const indexes = table.indexes.filter((index) => {
    const name = foldName(`${table.name}__${indexName(index)}`)
    if (taken.has(name) || !index.every((column) => names.has(column))) return false
    taken.add(name)
    return true
  })
  return new Table(Object.fromEntries(columns.map((entry) => [entry.name, column[entry.local]])), {
    indexes: Object.fromEntries(indexes.map((index) => [indexName(index), [...index]])),
    trackMetadata: true,
    ...trackGuarded(columns),
  })
}

function indexName(columns: readonly string[]): string {
  return `by_${columns.join('_')}`
}

/** Guarded rows track their guarded values with every change, not only changes of these. */
function trackGuarded(columns: readonly ColumnDescriptor[]): Pick<TableOptions, 'trackPrevious'> {
  const guarded = columns.filter(({ guard }) => guard !== undefined)
  if (guarded.length === 0) return {}
  const onlyWhenChanged = guarded.every(({ guard }) => guard === 'column')
  return { trackPrevious: { columns: guarded.map(({ name }) => name), onlyWhenChanged } }
}

function distinct<T extends { readonly name: string }>(
  entries: readonly T[],
  taken: readonly string[] = [],
): readonly T[] {
  const seen = new Set(taken)
  return entries.filter(({ name }) => {
    const folded = foldName(name)
    if (seen.has(folded)) return false
    seen.add(folded)
    return true
  })
}
