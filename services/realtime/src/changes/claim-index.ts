import type { ClaimLinks } from '@holdfast/policy'

type Claims = Readonly<Record<string, unknown>>

/** How a number or a UUID is written by everything that prints one. */
const CANONICAL = /^(-?(0|[1-9]\d{0,17})|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i

/** A value that a claim is compared with, in a form in which equal ones are the same text. */
export function linkedValue(text: string): string {
  return text.toLowerCase()
}

/** Which claim, and how it is compared: the key of a {@link ClaimIndex}. */
export function claimKey({ claim, isTyped }: { readonly claim: readonly string[]; readonly isTyped: boolean }): string {
  return JSON.stringify([isTyped, ...claim])
}

interface ByClaim<Entry> {
  readonly path: readonly string[]
  readonly isTyped: boolean
  readonly byValue: Map<string, Set<Entry>>
  /** Those whose claim can be equal to a value that is written otherwise. */
  readonly unclear: Set<Entry>
}

/** Finds those whose claims have a value, for the claims that the policies of a table compare with something of its rows. */
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

  /** @param key - of {@link claimKey} */
  *find(key: string, values: Iterable<string>): Iterable<Entry> {
    const own = this.#claims.get(key)
    if (!own) return
    for (const value of values) yield* own.byValue.get(value) ?? []
    yield* own.unclear
  }
}

/** @returns `undefined` for a claim that is not there: it equals nothing */
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
