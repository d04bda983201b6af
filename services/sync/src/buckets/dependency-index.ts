import type { Relation, Tuple } from '@holdfast/replication'
import { CompactMultimap } from './compact-multimap.ts'
import type { PlannedDependency } from './active-plan.ts'
import { addNoted, addTo, RecentChanges, type KeyChange } from './recent-changes.ts'

export type { KeyChange }

/** A stream whose user's keys may change. */
export interface KeyHolder {
  /** These transactions changed rows that the keys depend on. */
  keysChanged(xids: readonly number[]): void
  /** The plan has changed. */
  wake(): void
}

/** Pinned values by dependency key, from a holder's claims, subscriptions and rows; without an entry every change concerns the holder. */
export type Pins = ReadonlyMap<string, readonly (string | null)[]>

interface Entry {
  readonly everyone: Set<KeyHolder>
  readonly byValue: CompactMultimap<KeyHolder>
}

/** A holder's position in the index: under a value, or among those that every change concerns. */
interface Place {
  readonly entry: Entry
  readonly value: string | undefined
}

// Shared by holders without dependencies.
const NOWHERE: readonly Place[] = []

/** Collected but unpublished changes. */
interface Collected {
  readonly xids: Set<number>
  isEverybody: boolean
  /** Concerned holders by dependency key: all, or those with one of these values. */
  readonly concerned: Map<string, Set<string> | 'everyone'>
}

const nothingCollected = (): Collected => ({ xids: new Set(), isEverybody: false, concerned: new Map() })

/**
 * Finds the connected streams that a change of a table concerns.
 * Pinned values may come from rows, so they are valid only as long as the keys: a notified holder is unresolved until its keys have been evaluated again.
 */
export class DependencyIndex {
  readonly #entries = new Map<string, Entry>()
  readonly #unresolved = new Set<KeyHolder>()
  /** Positions in {@link #entries} of each resolved holder. */
  readonly #places = new Map<KeyHolder, readonly Place[]>()
  readonly #recent = new RecentChanges()
  #collected = nothingCollected()

  /** Adds a holder with unknown dependencies: every change concerns it. */
  addUnresolved(holder: KeyHolder): void {
    this.delete(holder)
    this.#unresolved.add(holder)
  }

  /** Notifies the holders concerned by changes collected since the last call. They are unresolved from then on. */
  tell(): void {
    const told = this.#collected
    if (told.xids.size === 0) return
    this.#collected = nothingCollected()
    const holders = told.isEverybody ? this.everybody() : this.#holdersOf(told.concerned)
    // All holders get the same list. Once its keys are evaluated, a holder skips transactions that do not concern it.
    const xids = [...told.xids]
    for (const holder of holders) {
      this.addUnresolved(holder)
      holder.keysChanged(xids)
    }
  }

  /** Call when common dependencies may have changed: all holders become unresolved and are woken. */
  planChanged(): void {
    // The notes refer to dependencies of the previous plan.
    this.#recent.forgetDetails()
    for (const holder of this.everybody()) {
      this.addUnresolved(holder)
      holder.wake()
    }
  }

  set(holder: KeyHolder, dependencies: readonly PlannedDependency[], pins: Pins): void {
    this.delete(holder)
    const places: Place[] = []
    for (const dependency of dependencies) {
      const entry = this.#ensureEntry(dependency.key)
      const values = pins.get(dependency.key)
      if (dependency.pin === undefined || values === undefined) {
        entry.everyone.add(holder)
        places.push({ entry, value: undefined })
        continue
      }
      for (const value of new Set(values)) {
        if (value === null) continue
        entry.byValue.add(value, holder)
        places.push({ entry, value })
      }
    }
    this.#places.set(holder, places.length > 0 ? places : NOWHERE)
  }

  delete(holder: KeyHolder): void {
    this.#unresolved.delete(holder)
    for (const { entry, value } of this.#places.get(holder) ?? NOWHERE) {
      if (value === undefined) entry.everyone.delete(holder)
      else entry.byValue.delete(value, holder)
    }
    this.#places.delete(holder)
  }

  /** Collects a row change. `old`/`row`: absent for INSERT/DELETE. Takes constant time, however many holders it concerns. */
  collect(
    xid: number,
    dependencies: readonly PlannedDependency[],
    relation: Relation,
    old: Tuple | undefined,
    row: Tuple | undefined,
  ): void {
    const noted = this.#recent.note(xid)
    const { xids, concerned } = this.#collected
    xids.add(xid)
    for (const dependency of dependencies) {
      const { key, pin } = dependency
      const known = concerned.get(key)
      if (!pin && known === 'everyone' && (!noted || noted.get(key) === 'everyone')) continue
      if (old && row && !differs(relation, dependency.columns, old, row)) continue
      const values = pin ? valuesOf(relation, pin.column, old, row) : []
      if (noted) addTo(noted, dependency, values)
      // A holder that switches to another value before it is notified finds the transaction among the recent ones.
      this.#collectValues(concerned, key, pin ? values : null)
    }
  }

  /** Collects a transaction that changed more than rows: it concerns all holders. */
  collectAll(xid: number): void {
    this.#recent.noteAll(xid)
    this.#collected.xids.add(xid)
    this.#collected.isEverybody = true
  }

  /** Describes the collected changes to servers that do not read them. */
  describeCollected(): readonly KeyChange[] {
    const { xids, isEverybody } = this.#collected
    return [...xids].map((xid) => (isEverybody ? [xid, null] : this.#recent.describe(xid)))
  }

  /** Describes recent changes, including those of which holders were notified. */
  describeRecent(): readonly KeyChange[] {
    return [...this.#recent.xids()].map((xid) => this.#recent.describe(xid))
  }

  /** Remembers changes that another server described, without notifying holders of them. */
  remember(changes: readonly KeyChange[]): void {
    for (const [xid, described] of changes) {
      if (described === null) this.#recent.noteAll(xid)
      else {
        const noted = this.#recent.note(xid)
        if (noted) for (const [key, values] of described) addNoted(noted, key, values)
      }
    }
  }

  /** Collects changes that another server described. */
  collectDescribed(changes: readonly KeyChange[]): void {
    this.remember(changes)
    const { xids, concerned } = this.#collected
    for (const [xid, described] of changes) {
      xids.add(xid)
      if (described === null) this.#collected.isEverybody = true
      for (const [key, values] of described ?? []) this.#collectValues(concerned, key, values)
    }
  }

  /** Collects values that some holder has. @param values - `null` for all */
  #collectValues(concerned: Collected['concerned'], key: string, values: readonly string[] | null): void {
    const known = concerned.get(key)
    if (known === 'everyone') return
    if (values === null) {
      concerned.set(key, 'everyone')
      return
    }
    const held = known ?? new Set<string>()
    concerned.set(key, held)
    const byValue = this.#entries.get(key)?.byValue
    for (const value of values) if (byValue?.has(value)) held.add(value)
  }

  /** Returns the holders concerned by a row change; empty if more than `max`. */
  few(
    dependencies: readonly PlannedDependency[],
    relation: Relation,
    old: Tuple | undefined,
    row: Tuple | undefined,
    max: number,
  ): Iterable<KeyHolder> {
    if (this.#unresolved.size > max) return []
    const found = new Set(this.#unresolved)
    for (const dependency of dependencies) {
      const entry = this.#entries.get(dependency.key)
      if (!entry || (old && row && !differs(relation, dependency.columns, old, row))) continue
      const values = dependency.pin ? valuesOf(relation, dependency.pin.column, old, row) : []
      if (entry.everyone.size > max || values.some((value) => entry.byValue.countOf(value) > max)) return []
      for (const holder of entry.everyone) found.add(holder)
      for (const value of values) for (const holder of entry.byValue.of(value)) found.add(holder)
      if (found.size > max) return []
    }
    return found
  }

  everybody(): Set<KeyHolder> {
    return new Set([...this.#unresolved, ...this.#places.keys()])
  }

  /**
   * Returns the transactions that an evaluation has not seen and that concern a holder with these pins: from those it was notified of and from the recent
   * ones, which the stream may deliver before queries see them.
   */
  unseenTransactions(
    dependencies: readonly PlannedDependency[],
    pins: Pins,
    told: Iterable<number>,
    saw: (xid: number) => boolean,
  ): readonly number[] {
    const candidates = new Set([...told, ...this.#collected.xids, ...this.#recent.xids()])
    return [...candidates].filter((xid) => !saw(xid) && this.#recent.concerns(xid, dependencies, pins))
  }

  #ensureEntry(key: string): Entry {
    let entry = this.#entries.get(key)
    if (!entry) this.#entries.set(key, (entry = { everyone: new Set(), byValue: new CompactMultimap() }))
    return entry
  }

  /** Returns holders with one of the collected values, and unresolved ones. */
  #holdersOf(concerned: Collected['concerned']): ReadonlySet<KeyHolder> {
    const holders = new Set(this.#unresolved)
    for (const [key, values] of concerned) {
      const entry = this.#entries.get(key)
      if (!entry) continue
      for (const holder of entry.everyone) holders.add(holder)
      for (const value of values === 'everyone' ? [] : values)
        for (const holder of entry.byValue.of(value)) holders.add(holder)
    }
    return holders
  }
}

/** Returns a column's values before and after a change. */
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
