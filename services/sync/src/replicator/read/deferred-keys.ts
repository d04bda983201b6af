import type { Tuple } from '@holdfast/replication'
import type { RowChange } from '../../rows/apply-changes.ts'

/**
 * Net changes per key of one transaction to tables with deferrable keys. Rows may share or swap keys until the transaction commits, so the order of changes is
 * meaningless; instead, added and removed rows of each key cancel out.
 *
 * Holds the changed rows of such a table in memory until the transaction commits.
 */
export interface DeferredKeys {
  add(change: RowChange, idOf: (row: Tuple) => string): void
  /** Discards earlier changes of truncated tables. */
  forget(oids: readonly number[]): void
  /** Returns and clears the changes: at most one per key, none of which changes a key. */
  take(): readonly RowChange[]
}

interface Balance {
  readonly change: RowChange
  /** By the row's text. */
  readonly gone: Map<string, Tuple[]>
  readonly came: Map<string, Tuple[]>
}

export function createDeferredKeys(): DeferredKeys {
  let tables = new Map<number, Map<string, Balance>>()

  function note(change: RowChange, row: Tuple, id: string, side: 'gone' | 'came'): void {
    const table = tables.get(change.relation.oid) ?? new Map<string, Balance>()
    tables.set(change.relation.oid, table)
    const balance = table.get(id) ?? { change, gone: new Map(), came: new Map() }
    table.set(id, balance)
    const text = JSON.stringify(row)
    const other = balance[side === 'gone' ? 'came' : 'gone']
    const equal = other.get(text)
    if (equal) {
      if (equal.length > 1) equal.pop()
      else other.delete(text)
      return
    }
    const mine = balance[side].get(text)
    if (mine) mine.push(row)
    else balance[side].set(text, [row])
  }

  return {
    add(change, idOf) {
      if (change.old) note(change, change.old, idOf(change.old), 'gone')
      if (change.row) note(change, change.row, idOf(change.row), 'came')
    },
    forget(oids) {
      for (const oid of oids) tables.delete(oid)
    },
    take() {
      const taken = tables
      tables = new Map()
      return [...taken.values()].flatMap((table) =>
        [...table.values()].flatMap(({ change, gone, came }) => {
          const [old] = [...gone.values()].flat()
          const [row] = [...came.values()].flat()
          return old || row ? [{ ...change, old, row }] : []
        }),
      )
    },
  }
}
