/** Why this device did not store a change. `undefined` in its place: it did. */
export type NotStored =
  /** It has no room; a banner says so. */
  | { readonly kind: 'full' }
  /** Postgres would certainly refuse it. */
  | Refused

export interface Refused {
  readonly kind: 'refused'
  /** Why, and who could, for people. */
  readonly words: string
  /** Columns that it is about; empty: the record. */
  readonly columns: readonly string[]
}

export const FULL: NotStored = { kind: 'full' }
