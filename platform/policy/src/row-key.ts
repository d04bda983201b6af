import type { UniqueIndex } from '@holdfast/postgres'

/** What a row's `id` on the device is made of. */
export interface RowKey {
  readonly columns: readonly string[]
  /** Two rows may have the same key within a transaction. */
  readonly deferrable: boolean
}

/**
 * The key by which devices know a table's rows: the one column `id` where it is unique, else the primary key, else the unique index with the fewest
 * columns (of several the first by name). Those that are checked at once come first.
 *
 * @returns `undefined` when nothing tells two rows apart
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
