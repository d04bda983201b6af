import { viewKey, type Catalog, type Table } from '@holdfast/postgres'

/** The primary key of a table; of a view, its columns that are the primary keys of tables beneath it. */
export function primaryKeyOf(table: Table, catalog: Pick<Catalog, 'tableByOid'>): readonly string[] {
  const isView = table.kind === 'view' || table.kind === 'materialized view'
  return isView ? viewKey(table, catalog.tableByOid) : table.primaryKey
}
