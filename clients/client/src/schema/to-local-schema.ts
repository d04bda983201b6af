import { column, Schema, Table, type TableOptions } from '@powersync/common'
import type { ColumnDescriptor, SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
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
