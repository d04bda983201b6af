import { errorMessage, type Clock, type Logger } from '@holdfast/foundation'
import { SQLSTATE, sqlstateOf } from '@holdfast/postgres'
import { POLICY_FAILURE_LOG_MS, POLICY_FAILURES_MAX } from '../limits.ts'

/** A policy that Postgres could not evaluate since the current plan was activated. */
export interface PolicyFailure {
  /** The table's local name. */
  readonly table: string
  /** Evaluated for a row, which is then in no bucket, or for a user, who then gets none of the buckets. */
  readonly of: 'row' | 'person'
  /** Postgres's message. */
  readonly reason: string
  readonly sqlstate: string | undefined
  readonly count: number
  readonly lastAt: string
}

/** Keeps failures for operators and logs each kind at most once a minute. */
export interface PolicyFailures {
  note(where: { readonly table: string; readonly of: PolicyFailure['of']; readonly sql: string }, error: unknown): void
  /** Newest first. */
  list(): readonly PolicyFailure[]
  /** Call when the policies have changed. */
  forget(): void
}

export function createPolicyFailures(logger: Logger, clock: Clock): PolicyFailures {
  const known = new Map<string, { readonly failure: PolicyFailure; readonly loggedMs: number }>()
  return {
    note({ table, of, sql }, error) {
      const reason = errorMessage(error)
      const sqlstate = sqlstateOf(error)
      // Messages may contain values of rows, so the code identifies the kind.
      const id = `${table} ${of} ${sqlstate ?? reason}`
      const before = known.get(id)
      const now = clock.now()
      const isDue = before === undefined || now - before.loggedMs >= POLICY_FAILURE_LOG_MS
      const count = (before?.failure.count ?? 0) + 1
      known.delete(id)
      const lastAt = new Date(now).toISOString()
      const failure = { table, of, reason, sqlstate, count, lastAt }
      known.set(id, { failure, loggedMs: isDue ? now : before.loggedMs })
      const [oldest] = known.keys()
      if (known.size > POLICY_FAILURES_MAX && oldest !== undefined) known.delete(oldest)
      if (isDue) logger.log('warn', MESSAGES[of], { table, sql: sql.slice(0, 200), sqlstate, reason, count })
    },
    list: () => [...known.values()].toReversed().map(({ failure }) => failure),
    forget: () => known.clear(),
  }
}

const MESSAGES = {
  row: 'a policy fails for a row, so the row is not synced by it',
  person: 'a policy fails for a person, so rows of the table are not synced to them',
} as const

/** Transient failures: transaction conflicts, insufficient resources, locks. */
const PASSING_STATES = /^(40|53|55P03|58|XX00[12])/

/**
 * Whether an error concerns only the statement (its SQL, values or duration), so the connection is still usable. Functions in policies may raise any code, so
 * the severity shows whether Postgres has closed the connection.
 */
export function isStatementFailure(error: unknown): boolean {
  return isStatementError(error) && !PASSING_STATES.test(sqlstateOf(error) ?? '')
}

/** Like {@link isStatementFailure}, but also true for transient codes, which functions may raise: Postgres has not closed the connection. */
export function isStatementError(error: unknown): boolean {
  const { severity } = (error ?? {}) as { readonly severity?: string }
  return sqlstateOf(error) !== undefined && severity === 'ERROR'
}

/** Whether a retry may succeed. */
export function isPassingError(error: unknown): boolean {
  return isTimeout(error) || PASSING_STATES.test(sqlstateOf(error) ?? '')
}

/** Whether a statement was cancelled because it took too long. */
export function isTimeout(error: unknown): boolean {
  return sqlstateOf(error) === SQLSTATE.queryCanceled
}
