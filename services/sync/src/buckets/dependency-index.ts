import type { Relation, Tuple } from '@holdfast/replication'
import type { PlannedDependency } from './active-plan.ts'

/** Somebody whose keys may change. */
export interface KeyHolder {
  /** Transactions changed something that the keys depend on. */
  keysChanged(xids: readonly number[]): void
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
  /** Tells everybody whom something concerns that was collected since the last time: of all transactions of that time. They are unresolved from then on. */
  tell(): void
  /** What everybody depends on may have changed: all are unresolved until they have looked, and are woken. */
  planChanged(): void
  set(holder: KeyHolder, dependencies: readonly PlannedDependency[], pins: Pins): void
  delete(holder: KeyHolder): void
  /** A transaction changed a row. `old`/`row`: absent for INSERT/DELETE. Takes no longer the more people that concerns. */
  collect(
    xid: number,
    dependencies: readonly PlannedDependency[],
    relation: Relation,
    old: Tuple | undefined,
    row: Tuple | undefined,
  ): void
  /** A transaction changed more than rows: all are concerned. */
  collectAll(xid: number): void
  /** Whom the change of one row concerns; nobody, when that is more than `max`. */
  few(
    dependencies: readonly PlannedDependency[],
    relation: Relation,
    old: Tuple | undefined,
    row: Tuple | undefined,
    max: number,
  ): Iterable<KeyHolder>
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

/** What was collected and not told yet. */
interface Collected {
  readonly xids: Set<number>
  isEverybody: boolean
  /** By dependency key: everybody who depends on it, or whoever has one of these values. */
  readonly concerned: Map<string, Set<string> | 'everyone'>
}

const nothingCollected = (): Collected => ({ xids: new Set(), isEverybody: false, concerned: new Map() })

export function createDependencyIndex(): DependencyIndex {
  const entries = new Map<string, Entry>()
  const unresolved = new Set<KeyHolder>()
  const undo = new Map<KeyHolder, (() => void)[]>()
  /** The last transactions that changed something which keys depend on. `undefined`: it concerns everybody. */
  const recent = new Map<number, Noted | undefined>()
  let collected = nothingCollected()

  function remove(holder: KeyHolder): void {
    unresolved.delete(holder)
    for (const step of undo.get(holder) ?? []) step()
    undo.delete(holder)
  }

  function addUnresolved(holder: KeyHolder): void {
    remove(holder)
    unresolved.add(holder)
  }

  function everybody(): Set<KeyHolder> {
    return new Set([...unresolved, ...undo.keys()])
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
    tell() {
      const told = collected
      if (told.xids.size === 0) return
      collected = nothingCollected()
      const holders = told.isEverybody ? everybody() : new Set(unresolved)
      if (!told.isEverybody) {
        for (const [key, values] of told.concerned) {
          const entry = entries.get(key)
          if (!entry) continue
          for (const holder of entry.everyone) holders.add(holder)
          for (const value of values === 'everyone' ? [] : values)
            for (const holder of entry.byValue.get(value) ?? []) holders.add(holder)
        }
      }
      // One list for all: those of its transactions that do not concern somebody are left out when the keys are known.
      const xids = [...told.xids]
      for (const holder of holders) {
        addUnresolved(holder)
        holder.keysChanged(xids)
      }
    },
    planChanged() {
      // What is noted is told apart by the dependencies of another plan.
      for (const xid of recent.keys()) recent.set(xid, undefined)
      for (const holder of everybody()) {
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
    collect(xid, dependencies, relation, old, row) {
      const noted = note(xid)
      collected.xids.add(xid)
      for (const dependency of dependencies) {
        const { key, pin } = dependency
        const known = collected.concerned.get(key)
        if (!pin && known === 'everyone' && (!noted || noted.get(key) === 'everyone')) continue
        if (old && row && !differs(relation, dependency.columns, old, row)) continue
        const values = pin ? valuesOf(relation, pin.column, old, row) : []
        if (noted) addTo(noted, dependency, values)
        if (!pin) {
          collected.concerned.set(key, 'everyone')
          continue
        }
        // Whoever comes to have one of the others until they are told finds the transaction among the last ones.
        const concerned = known ?? new Set<string>()
        collected.concerned.set(key, concerned)
        const byValue = entries.get(key)?.byValue
        if (concerned !== 'everyone') for (const value of values) if (byValue?.has(value)) concerned.add(value)
      }
    },
    collectAll(xid) {
      note(xid)
      recent.set(xid, undefined)
      collected.xids.add(xid)
      collected.isEverybody = true
    },
    few(dependencies, relation, old, row, max) {
      if (unresolved.size > max) return []
      const found = new Set(unresolved)
      for (const dependency of dependencies) {
        const entry = entries.get(dependency.key)
        if (!entry || (old && row && !differs(relation, dependency.columns, old, row))) continue
        const values = dependency.pin ? valuesOf(relation, dependency.pin.column, old, row) : []
        for (const holders of [entry.everyone, ...values.map((value) => entry.byValue.get(value))]) {
          if (!holders) continue
          if (holders.size > max) return []
          for (const holder of holders) found.add(holder)
        }
        if (found.size > max) return []
      }
      return found
    },
    everybody,
    lacking(dependencies, pins, told, saw) {
      return [...new Set([...told, ...collected.xids, ...recent.keys()])].filter((xid) => {
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
