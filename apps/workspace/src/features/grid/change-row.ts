import type { FieldValue } from '../../lib/fields/field.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import type { GridRow } from './window-cache.ts'

/** Returns the change of one row to new values, or nothing if the row already has them. */
export function changeRow(
  table: string,
  row: GridRow,
  values: Readonly<Record<string, FieldValue>>,
): readonly RecordChange[] {
  const entries = Object.entries(values).filter(([name, value]) => (row[name] ?? null) !== value)
  if (entries.length === 0) return []
  return [
    {
      kind: 'update',
      table,
      id: row.id,
      values: Object.fromEntries(entries),
      before: Object.fromEntries(entries.map(([name]) => [name, row[name] ?? null])),
    },
  ]
}
