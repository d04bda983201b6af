import type { Relation, Tuple } from '@holdfast/replication'
import type { PlannedDependency } from './active-plan.ts'

/** Somebody whose keys may change. */
export interface KeyHolder {
  /** A transaction changed something that the keys depend on. */
  keysChanged(xid: number): void
  /** Something else changed that it should look at: the plan. */
  wake(): void
}

/** Finds the connected people whom a change of some table concerns. */
export interface DependencyIndex {
  /**
   * Whose dependencies are not known yet: every change concerns them. So do the last transactions: the stream may deliver a transaction a moment
   * before a query can see it.
   */
  addUnresolved(holder: KeyHolder): void
  /** A transaction changed a table that some keys depend on, whoever is connected. */
  noteTransaction(xid: number): void
  /** What everybody depends on may have changed: all are unresolved until they have looked, and are woken. */
  planChanged(): void
  /** @param pins - by dependency key, the values that this holder's claims and subscriptions give */
  set(
    holder: KeyHolder,
    dependencies: readonly PlannedDependency[],
    pins: ReadonlyMap<string, readonly (string | null)[]>,
  ): void
  delete(holder: KeyHolder): void
  /** Adds to `into` the holders whom one row's change concerns. `old`/`row`: absent for INSERT/DELETE. */
  collect(
    dependencies: readonly PlannedDependency[],
    relation: Relation,
    old: Tuple | undefined,
    row: Tuple | undefined,
    into: Set<KeyHolder>,
  ): void
  /** Everybody: after a TRUNCATE. */
  everybody(): Iterable<KeyHolder>
}

/** More than there are connections to Postgres: each commits one transaction at a time. */
const RECENT_TRANSACTIONS = 256

interface Entry {
  readonly everyone: Set<KeyHolder>
  readonly byValue: Map<string, Set<KeyHolder>>
}

export function createDependencyIndex(): DependencyIndex {
  const entries = new Map<string, Entry>()
  const unresolved = new Set<KeyHolder>()
  const undo = new Map<KeyHolder, (() => void)[]>()
  let recent: number[] = []

  function addUnresolved(holder: KeyHolder): void {
    unresolved.add(holder)
    for (const xid of recent) holder.keysChanged(xid)
  }

  function remove(holder: KeyHolder): void {
    unresolved.delete(holder)
    for (const step of undo.get(holder) ?? []) step()
    undo.delete(holder)
  }

  return {
    addUnresolved,
    noteTransaction(xid) {
      if (recent.at(-1) === xid) return
      recent.push(xid)
      if (recent.length >= 2 * RECENT_TRANSACTIONS) recent = recent.slice(-RECENT_TRANSACTIONS)
    },
    planChanged() {
      for (const holder of new Set([...unresolved, ...undo.keys()])) {
        addUnresolved(holder)
        holder.wake()
      }
    },
    set(holder, dependencies, pins) {
      remove(holder)
      const steps: (() => void)[] = []
      for (const dependency of dependencies) {
        let entry = entries.get(dependency.key)
        if (!entry) entries.set(dependency.key, (entry = { everyone: new Set(), byValue: new Map() }))
        const { everyone, byValue } = entry
        const values = pins.get(dependency.key)
        if (dependency.pin === undefined || values === undefined) {
          everyone.add(holder)
          steps.push(() => everyone.delete(holder))
          continue
        }
        for (const value of new Set(values)) {
          if (value === null) continue
          const set = byValue.get(value) ?? new Set()
          byValue.set(value, set.add(holder))
          steps.push(() => {
            set.delete(holder)
            if (set.size === 0 && byValue.get(value) === set) byValue.delete(value)
          })
        }
      }
      undo.set(holder, steps)
    },
    delete: remove,
    collect(dependencies, relation, old, row, into) {
      for (const holder of unresolved) into.add(holder)
      for (const dependency of dependencies) {
        const entry = entries.get(dependency.key)
        if (!entry || (entry.everyone.size === 0 && entry.byValue.size === 0)) continue
        if (old && row && !differs(relation, dependency.columns, old, row)) continue
        for (const holder of entry.everyone) into.add(holder)
        if (!dependency.pin) continue
        const position = relation.columns.findIndex((column) => column.name === dependency.pin?.column)
        for (const tuple of [old, row]) {
          const value = tuple?.[position]
          if (value === null || value === undefined) continue
          for (const holder of entry.byValue.get(value) ?? []) into.add(holder)
        }
      }
    },
    everybody: () => new Set([...unresolved, ...undo.keys()]),
  }
}

function differs(relation: Relation, columns: readonly string[], old: Tuple, row: Tuple): boolean {
  for (const name of columns) {
    const position = relation.columns.findIndex((column) => column.name === name)
    if (position < 0 || old[position] !== row[position]) return true
  }
  return false
}
