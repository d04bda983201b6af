/** What the SQL editor of the console and its server exchange. */

/** `POST /sql`: the results of statements up to the end or the first error. Values are texts as Postgres prints them. */
export interface SqlOutcome {
  readonly ms: number
  readonly results: readonly SqlResult[]
  /** Notices and warnings of Postgres, the first ones. */
  readonly notices: readonly string[]
  readonly error?: SqlError
}

export interface SqlResult {
  /** `SELECT 3`, `UPDATE 1`. */
  readonly tag: string
  /** Missing for statements without rows. */
  readonly columns?: readonly SqlColumn[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** Rows of the statement, including those that were left out. */
  readonly count: number
}

export interface SqlColumn {
  readonly name: string
  readonly type: string
}

/** An error of Postgres. */
export interface SqlError {
  readonly message: string
  readonly code?: string
  readonly detail?: string
  readonly hint?: string
  readonly where?: string
  /** Character of the text, from 1. */
  readonly position?: number
}

/** Whether a statement is planned only, or also run to measure it. */
export type SqlExplain = 'plan' | 'analyze'

/** A run of the operator, from the audit log. */
export interface SqlHistoryEntry {
  readonly id: string
  readonly at: string
  /** Start of the text. */
  readonly start: string
  /** `as postgres`, `as user 0190…` */
  readonly target: string | null
  readonly explain: SqlExplain | null
  /** Duration; null for a run without an outcome. */
  readonly ms: number | null
  readonly error: string | null
}

/** A query that an operator has named. */
export interface SavedQuery {
  readonly id: string
  readonly name: string
  /** Start of the text. */
  readonly start: string
  /** Whether all operators who run SQL read it. */
  readonly isShared: boolean
  readonly isMine: boolean
  /** Null once the author is no operator any more. */
  readonly author: string | null
  readonly updatedAt: string
}
