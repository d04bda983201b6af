/** Postgres's error about a statement, as the driver carries it. */
export interface DatabaseError extends Error {
  /** SQLSTATE. */
  readonly code: string
  readonly severity: string
  readonly detail?: string
  readonly hint?: string
  readonly table?: string
  readonly column?: string
  readonly constraint?: string
}

/** Tells an answer of Postgres from a broken connection, whose `code` may look like a SQLSTATE (`EPIPE`). */
export function isDatabaseError(thrown: unknown): thrown is DatabaseError {
  return thrown instanceof Error && 'severity' in thrown && 'code' in thrown && typeof thrown.code === 'string'
}

/**
 * Whether the same statement may succeed later without anybody changing it: serialisation failures, deadlocks, timeouts, lock waits,
 * no resources, a server that starts, stops or follows another, a failing disk. Everything else is a judgement of the data.
 *
 * @see PostgreSQL manual, "Appendix A. PostgreSQL Error Codes"
 */
export function isRetryable(error: DatabaseError): boolean {
  return /^(?:40001|40P01|55P03|57014|25006|XX001|XX002)$/.test(error.code) || /^(?:08|53|57P|58)/.test(error.code)
}

/** Whether row-level security, and not a missing grant, refused the statement. */
export function isPolicyRefusal(error: DatabaseError): boolean {
  return error.code === '42501' && error.message.includes('row-level security policy')
}

/** The restrictive policy that Postgres names, as in `new row violates row-level security policy "name" for table "t"`. */
export function namedPolicy(error: DatabaseError): string | undefined {
  return /row-level security policy "(.+)" (?:\(USING expression\) )?for table "/.exec(error.message)?.[1]
}
