/** A Postgres error as returned by the driver. */
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

/** Whether an error comes from Postgres rather than a broken connection, whose `code` may resemble an SQLSTATE (`EPIPE`). */
export function isDatabaseError(thrown: unknown): thrown is DatabaseError {
  return thrown instanceof Error && 'severity' in thrown && 'code' in thrown && typeof thrown.code === 'string'
}

/**
 * Whether a retry may succeed without any change: serialization failures, deadlocks, timeouts, lock waits, insufficient resources, a server that is starting,
 * stopping or failing over, disk errors. Other errors are verdicts about the data.
 *
 * @see PostgreSQL manual, "Appendix A. PostgreSQL Error Codes"
 */
export function isRetryable(error: DatabaseError): boolean {
  return /^(?:40001|40P01|55P03|57014|25006|XX001|XX002)$/.test(error.code) || /^(?:08|53|57P|58)/.test(error.code)
}

/** Whether row-level security, rather than a missing grant, refused the statement. */
export function isPolicyRefusal(error: DatabaseError): boolean {
  return error.code === '42501' && error.message.includes('row-level security policy')
}

/** Parses the restrictive policy named by Postgres, as in `new row violates row-level security policy "name" for table "t"`. */
export function namedPolicy(error: DatabaseError): string | undefined {
  return /row-level security policy "(.+)" (?:\(USING expression\) )?for table "/.exec(error.message)?.[1]
}
