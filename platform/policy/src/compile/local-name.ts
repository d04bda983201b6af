import { assert } from '@holdfast/foundation'
import { localColumnNames } from '@holdfast/protocol'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import { chooseRowKey } from '../row-key.ts'

/** Returns a synced table's name on devices. */
export function localNameOf(table: TableInfo, catalog: PolicyCatalog): string {
  const name = catalog.localName(table.oid)
  assert(name !== undefined, 'a table that syncs has a local name')
  return name
}

const columnNames = new WeakMap<TableInfo, ReadonlyMap<string, string>>()

/** Returns a column's name on devices. */
export function localColumnOf(column: string, table: TableInfo): string {
  let names = columnNames.get(table)
  if (!names) {
    const key = chooseRowKey(table.uniqueIndexes)?.columns ?? ['id']
    names = localColumnNames(
      table.columns.map(({ name }) => name),
      key,
    )
    columnNames.set(table, names)
  }
  return names.get(column) ?? column
}
