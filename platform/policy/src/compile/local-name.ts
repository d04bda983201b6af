import type { TableInfo } from '../catalog/policy-input.ts'

/** What a table is called on devices. */
export function localNameOf(table: TableInfo): string {
  if (table.schema === 'public') return table.name
  return table.schema === 'holdfast' ? `hf_${table.name}` : `${table.schema}__${table.name}`
}
