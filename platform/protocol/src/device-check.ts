import type { RangeSum } from './row-digest.ts'

/** Endpoint for comparing a device with the server. Specific to Holdfast. */
export const CHECK_PATH = '/sync/v1/check'

/** A query about one table, by its name on devices. */
export type CheckQuestion =
  /** Sums of all rows by key range. */
  | {
      readonly table: string
      /** A power of two. */
      readonly ranges: number
    }
  /** Digests of the rows in some ranges. */
  | { readonly table: string; readonly ranges: number; readonly only: readonly number[] }
  /** Digests of the given rows that exist. */
  | { readonly table: string; readonly ids: readonly string[] }

export interface CheckRequest {
  /** At most one per table. The response omits tables that the user does not have. */
  readonly questions: readonly CheckQuestion[]
}

/** A line of the response (NDJSON), which is complete only with the last line. */
export type CheckLine =
  | { readonly table: string; readonly sums: readonly RangeSum[] }
  /** A table may have several. */
  | { readonly table: string; readonly rows: readonly (readonly [id: string, digest: string])[] }
  /** Selecting from the table fails for this user with this SQLSTATE. */
  | { readonly table: string; readonly fails: string }
  | {
      /** All of the user's tables. */
      readonly complete: readonly string[]
      /** Tables of which devices have only rows requested by their streams. Only queries by id are answered for these. */
      readonly narrowed: readonly string[]
    }

/** Limit of queries per request, which has at most one per table. */
export const CHECK_QUESTIONS_MAX = 2_000

/** Limit of ids per request. */
export const CHECK_IDS_MAX = 1_000
