import type { ClaimLinks } from '@holdfast/policy'

type Claims = Readonly<Record<string, unknown>>

/** Numbers and UUIDs that every printer writes the same way. */
const CANONICAL = /^(-?(0|[1-9]\d{0,17})|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i

/** Normalizes a value compared with a claim, so that equal values have equal texts. */
export function linkedValue(text: string): string {
  return text.toLowerCase()
}

/** Key of a {@link ClaimIndex}: the claim path and the kind of comparison. */
export function claimKey({ claim, isTyped }: { readonly claim: readonly string[]; readonly isTyped: boolean }): string {
  return JSON.stringify([isTyped, ...claim])
}

interface ByClaim<Entry> {
  readonly path: readonly string[]
  readonly isTyped: boolean
  readonly byValue: Map<string, Set<Entry>>
  /** Entries whose claim may equal a differently written value. */
  readonly unclear: Set<Entry>
}

/** Index of entries by the values of the claims that a table's policies compare with row values. */
export class ClaimIndex<Entry> {
  readonly #claims = new Map<string, ByClaim<Entry>>()

  constructor({ columns, values, tables }: ClaimLinks) {
    for (const one of [...columns, ...values, ...tables.map(({ comparison }) => comparison)]) {
      const { claim: path, isTyped } = one
      this.#claims.set(claimKey(one), { path, isTyped, byValue: new Map(), unclear: new Set() })
    }
  }

  add(claims: Claims, entry: Entry): void {
    for (const own of this.#claims.values()) {
      const value = valueAt(claims, own)
      if (value === 'unclear') own.unclear.add(entry)
      else if (value) {
        const entries = own.byValue.get(value.text) ?? new Set()
        own.byValue.set(value.text, entries.add(entry))
      }
    }
  }

  remove(claims: Claims, entry: Entry): void {
    for (const own of this.#claims.values()) {
      own.unclear.delete(entry)
      const value = valueAt(claims, own)
      if (value === 'unclear' || !value) continue
      const entries = own.byValue.get(value.text)
      entries?.delete(entry)
      if (entries?.size === 0) own.byValue.delete(value.text)
    }
  }

  /** @param key - from {@link claimKey} */
  *find(key: string, values: Iterable<string>): Iterable<Entry> {
    const own = this.#claims.get(key)
    if (!own) return
    for (const value of values) yield* own.byValue.get(value) ?? []
    yield* own.unclear
  }
}

/** @returns `undefined` for an absent claim, which equals nothing */
function valueAt(
  claims: Claims,
  { path, isTyped }: Pick<ByClaim<unknown>, 'path' | 'isTyped'>,
): { readonly text: string } | 'unclear' | undefined {
  let value: unknown = claims
  for (const name of path) value = typeof value === 'object' && value !== null ? (value as Claims)[name] : undefined
  if (value === undefined || value === null) return undefined
  const text = Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || (isTyped && !CANONICAL.test(text))) return 'unclear'
  return { text: linkedValue(text) }
}
