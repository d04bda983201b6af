import type { Relation, Tuple } from '@holdfast/replication'
import type { PlannedDependency } from './active-plan.ts'

/** Somebody whose keys may change. */
export interface KeyHolder {
  /** A transaction changed something that the keys depend on. */
  keysChanged(xid: number): void
  /** Something else changed that it should look at: the plan. */
  wake(): void
}

/** By dependency key, the values that a holder's claims, subscriptions and rows give; without an entry everything concerns the holder. */
export type Pins = ReadonlyMap<string, readonly (string | null)[]>

/**
 * Finds the connected people whom a change of some table concerns.
 *
 * Values of a pin may come from rows, so they hold as long as the keys do: whoever is told of a change has to be unresolved until the keys are known anew.
 */
export interface DependencyIndex {
  /** Whose dependencies are not known: every change concerns them. */
  addUnresolved(holder: KeyHolder): void
  /** Tells a holder, if it is still there, of transactions. It is unresolved from then on. */
  tell(holder: KeyHolder, xids: Iterable<number>): void
  /** What everybody depends on may have changed: all are unresolved until they have looked, and are woken. */
  planChanged(): void
  set(holder: KeyHolder, dependencies: readonly PlannedDependency[], pins: Pins): void
  delete(holder: KeyHolder): void
  /** A transaction changed a row. Adds to `into` the holders whom that concerns. `old`/`row`: absent for INSERT/DELETE. */
  collect(
    xid: number,
    dependencies: readonly PlannedDependency[],
    relation: Relation,
    old: Tuple | undefined,
    row: Tuple | undefined,
    into: Set<KeyHolder>,
  ): void
  /** A transaction changed more than rows: all are concerned. */
  collectAll(xid: number, into: Set<KeyHolder>): void
  everybody(): Iterable<KeyHolder>
  /**
   * The transactions that an answer lacks: of those that the holder was told of and the last ones – which the stream may deliver a moment before a query
   * can see them – those that the answer has not seen and that concern whoever has these pins.
   */
  lacking(
    dependencies: readonly PlannedDependency[],
    pins: Pins,
    told: Iterable<number>,
    saw: (xid: number) => boolean,
  ): readonly number[]
}

/** More than there are connections to Postgres: each commits one transaction at a time. */
const RECENT_TRANSACTIONS = 256
/** Values of one pin that are noted of a transaction; one with more concerns everybody. */
const NOTED_VALUES_MAX = 100

interface Entry {
  readonly everyone: Set<KeyHolder>
  readonly byValue: Map<string, Set<KeyHolder>>
}

/** Whom a transaction concerns: by dependency key the values of its pin, or everybody who depends on it. */
type Noted = Map<string, Set<string> | 'everyone'>

export function createDependencyIndex(): DependencyIndex {
  const entries = new Map<string, Entry>()
  const unresolved = new Set<KeyHolder>()
  const undo = new Map<KeyHolder, (() => void)[]>()
  /** The last transactions that changed something which keys depend on. `undefined`: it concerns everybody. */
  const recent = new Map<number, Noted | undefined>()

  function remove(holder: KeyHolder): void {
    unresolved.delete(holder)
    for (const step of undo.get(holder) ?? []) step()
    undo.delete(holder)
  }

  function addUnresolved(holder: KeyHolder): void {
    remove(holder)
    unresolved.add(holder)
  }

  function note(xid: number): Noted | undefined {
    if (recent.has(xid)) return recent.get(xid)
    const noted: Noted = new Map()
    recent.set(xid, noted)
    if (recent.size >= 2 * RECENT_TRANSACTIONS) {
      const old = [...recent.keys()].slice(0, RECENT_TRANSACTIONS)
      for (const one of old) recent.delete(one)
    }
    return noted
  }

  return {
    addUnresolved,
    tell(holder, xids) {
      if (!unresolved.has(holder) && !undo.has(holder)) return
      addUnresolved(holder)
      for (const xid of xids) holder.keysChanged(xid)
    },
    planChanged() {
      // What is noted is told apart by the dependencies of another plan.
      for (const xid of recent.keys()) recent.set(xid, undefined)
      for (const holder of [...unresolved, ...undo.keys()]) {
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
    collect(xid, dependencies, relation, old, row, into) {
      const noted = note(xid)
      for (const holder of unresolved) into.add(holder)
      for (const dependency of dependencies) {
        if (old && row && !differs(relation, dependency.columns, old, row)) continue
        const values = dependency.pin ? valuesOf(relation, dependency.pin.column, old, row) : []
        if (noted) addTo(noted, dependency, values)
        const entry = entries.get(dependency.key)
        if (!entry) continue
        for (const holder of entry.everyone) into.add(holder)
        for (const value of values) for (const holder of entry.byValue.get(value) ?? []) into.add(holder)
      }
    },
    collectAll(xid, into) {
      note(xid)
      recent.set(xid, undefined)
      for (const holder of unresolved) into.add(holder)
      for (const holder of undo.keys()) into.add(holder)
    },
    everybody: () => new Set([...unresolved, ...undo.keys()]),
    lacking(dependencies, pins, told, saw) {
      return [...new Set([...told, ...recent.keys()])].filter((xid) => {
        if (saw(xid)) return false
        const noted = recent.get(xid)
        return (
          !noted || dependencies.some((dependency) => concerns(noted.get(dependency.key), pins.get(dependency.key)))
        )
      })
    },
  }
}

function addTo(noted: Noted, { key, pin }: PlannedDependency, values: readonly string[]): void {
  const known = noted.get(key) ?? new Set()
  if (known === 'everyone') return
  for (const value of values) known.add(value)
  noted.set(key, pin === undefined || known.size > NOTED_VALUES_MAX ? 'everyone' : known)
}

function concerns(
  noted: Set<string> | 'everyone' | undefined,
  values: readonly (string | null)[] | undefined,
): boolean {
  if (noted === undefined) return false
  if (noted === 'everyone' || values === undefined) return true
  return values.some((value) => value !== null && noted.has(value))
}

/** What a column holds before and after. */
function valuesOf(relation: Relation, column: string, old: Tuple | undefined, row: Tuple | undefined): string[] {
  const position = relation.columns.findIndex(({ name }) => name === column)
  return [old?.[position], row?.[position]].filter((value) => value !== null && value !== undefined)
}

function differs(relation: Relation, columns: readonly string[], old: Tuple, row: Tuple): boolean {
  for (const name of columns) {
    const position = relation.columns.findIndex((column) => column.name === name)
    if (position < 0 || old[position] !== row[position]) return true
  }
  return false
}
