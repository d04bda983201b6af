import type { UniqueIndex } from '@holdfast/postgres'

/** Columns that form a row's `id` on the device. */
export interface RowKey {
  readonly columns: readonly string[]
  /** Rows may temporarily share a key within a transaction. */
  readonly deferrable: boolean
}

/**
 * Chooses the key that identifies a table's rows on devices: the column `id` if unique, else the primary key, else the unique index with the fewest columns
 * (then by name). Immediate constraints are preferred.
 *
 * @returns `undefined` without a unique key
 */
export function chooseRowKey(indexes: readonly UniqueIndex[]): RowKey | undefined {
  const rank = (key: UniqueIndex): readonly (number | string)[] => [
    key.columns.length === 1 && key.columns[0] === 'id' ? 0 : 1,
    key.isPrimary ? 0 : 1,
    key.isImmediate ? 0 : 1,
    key.columns.length,
    key.name,
  ]
  const keys = indexes.filter((index) => !index.isNullable)
  const [best] = keys.toSorted((left, right) => compare(rank(left), rank(right)))
  return best && { columns: best.columns, deferrable: !best.isImmediate }
}

function compare(left: readonly (number | string)[], right: readonly (number | string)[]): number {
  const at = left.findIndex((value, index) => value !== right[index])
  if (at < 0) return 0
  return (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1
}
