import type { PlannedDependency } from './active-plan.ts'

/** Above the number of connections to Postgres, each of which commits one transaction at a time. */
const RECENT_TRANSACTIONS = 256
/** Maximum values of one pin noted per transaction. With more, it concerns every holder. */
const NOTED_VALUES_MAX = 100

/** Holders that a transaction concerns: by dependency key, the pinned values or every dependent holder. */
export type Noted = Map<string, Set<string> | 'everyone'>

/** What a transaction changed of the rows that keys depend on: by dependency key, the pinned values; `null` for all, of a key or of the transaction. */
export type KeyChange = readonly [
  xid: number,
  noted: readonly (readonly [key: string, values: readonly string[] | null])[] | null,
]

/** The last transactions that changed rows which keys depend on. */
export class RecentChanges {
  /** `undefined`: the transaction concerns every holder. */
  readonly #notes = new Map<number, Noted | undefined>()

  xids(): Iterable<number> {
    return this.#notes.keys()
  }

  /** @returns the transaction's note, for adding to it; `undefined` if it concerns every holder already */
  note(xid: number): Noted | undefined {
    if (this.#notes.has(xid)) return this.#notes.get(xid)
    const noted: Noted = new Map()
    this.#notes.set(xid, noted)
    if (this.#notes.size >= 2 * RECENT_TRANSACTIONS) {
      const oldest = [...this.#notes.keys()].slice(0, RECENT_TRANSACTIONS)
      for (const one of oldest) this.#notes.delete(one)
    }
    return noted
  }

  /** Notes that the transaction concerns every holder. */
  noteAll(xid: number): void {
    this.note(xid)
    this.#notes.set(xid, undefined)
  }

  /** Describes a noted transaction to another server. */
  describe(xid: number): KeyChange {
    const noted = this.#notes.get(xid)
    return [xid, noted ? [...noted].map(([key, values]) => [key, values === 'everyone' ? null : [...values]]) : null]
  }

  /** Makes every noted transaction concern every holder. */
  forgetDetails(): void {
    for (const xid of this.#notes.keys()) this.#notes.set(xid, undefined)
  }

  /** Whether a transaction concerns a holder with these pins. An unknown transaction concerns every holder. */
  concerns(
    xid: number,
    dependencies: readonly PlannedDependency[],
    pins: ReadonlyMap<string, readonly (string | null)[]>,
  ): boolean {
    const noted = this.#notes.get(xid)
    return !noted || dependencies.some(({ key }) => concerns(noted.get(key), pins.get(key)))
  }
}

/** Adds changed values of a pin to a transaction's note. */
export function addTo(noted: Noted, { key, pin }: PlannedDependency, values: readonly string[]): void {
  const known = noted.get(key) ?? new Set()
  if (known === 'everyone') return
  for (const value of values) known.add(value)
  noted.set(key, pin === undefined || known.size > NOTED_VALUES_MAX ? 'everyone' : known)
}

/** Adds what another server noted. */
export function addNoted(noted: Noted, key: string, values: readonly string[] | null): void {
  const known = noted.get(key) ?? new Set<string>()
  if (values === null || known === 'everyone') {
    noted.set(key, 'everyone')
    return
  }
  for (const value of values) known.add(value)
  noted.set(key, known.size > NOTED_VALUES_MAX ? 'everyone' : known)
}

function concerns(
  noted: Set<string> | 'everyone' | undefined,
  values: readonly (string | null)[] | undefined,
): boolean {
  if (noted === undefined) return false
  if (noted === 'everyone' || values === undefined) return true
  return values.some((value) => value !== null && noted.has(value))
}
