import type { RangeSum } from './row-digest.ts'

/** Where a device compares itself with the server. Source: Holdfast. */
export const CHECK_PATH = '/sync/v1/check'

/** What is asked of one table, by its name on devices. */
export type CheckQuestion =
  /** The sums of all its rows, by ranges of their keys. */
  | {
      readonly table: string
      /** A power of two. */
      readonly ranges: number
    }
  /** The digests of the rows of some of the ranges. */
  | { readonly table: string; readonly ranges: number; readonly only: readonly number[] }
  /** The digests of those of some rows that there are. */
  | { readonly table: string; readonly ids: readonly string[] }

export interface CheckRequest {
  /** Each table once. Tables that the person does not have are left out of the answer. */
  readonly questions: readonly CheckQuestion[]
}

/** A line of the answer (NDJSON). Without the last one the answer is not whole. */
export type CheckLine =
  | { readonly table: string; readonly sums: readonly RangeSum[] }
  /** There may be several for a table. */
  | { readonly table: string; readonly rows: readonly (readonly [id: string, digest: string])[] }
  /** Selecting from the table fails for this person, with this SQLSTATE. */
  | { readonly table: string; readonly fails: string }
  | {
      /** All tables that this person has. */
      readonly complete: readonly string[]
      /** Of which a device has only what its streams ask for. Only questions by ids are answered of them. */
      readonly narrowed: readonly string[]
    }

/** Questions in one request, at most: one for each table. */
export const CHECK_QUESTIONS_MAX = 2_000

/** Ids in one request, at most. */
export const CHECK_IDS_MAX = 1_000
