/** Why a change was not stored. */
export type NotStored =
  /** The device is full; a banner says so. */
  | { readonly kind: 'full' }
  /** Postgres would certainly refuse it. */
  | Refused

export interface Refused {
  readonly kind: 'refused'
  /** Reason, and who could do it. */
  readonly words: string
  /** Columns concerned; empty for the record. */
  readonly columns: readonly string[]
}

export const FULL: NotStored = { kind: 'full' }
