import { errorMessage, type Logger } from '@holdfast/foundation'
import { SQLSTATE, sql, sqlstateOf, type Pool, type Transaction } from '@holdfast/postgres'
import { TERMINATE_AFTER_MS } from '../limits.ts'

/** A statement exceeded its time, even if its function caught the cancellation. */
class TimeLimitError extends Error {
  readonly code = SQLSTATE.queryCanceled
  readonly severity = 'ERROR'
}

/** A statement's function terminated its own session. */
class SessionEndedError extends Error {
  readonly code = SQLSTATE.adminShutdown
  readonly severity = 'ERROR'
}

export interface TimeLimitOptions {
  /** Runs the statement. */
  readonly pool: Pool
  /** Connects as superuser, to terminate sessions that do not stop. */
  readonly admin: Pool
  readonly logger: Logger
}

/**
 * Runs a statement that calls user functions in its own transaction, for at most `ms` milliseconds. A function may catch the cancellation; then its session
 * is terminated shortly after.
 * A function may also terminate its own session. If that happens twice while Postgres is running, it counts as an error of the statement.
 *
 * @throws SQLSTATE 57014 after the time limit; 57P01, with the severity of a statement error, if the statement terminates its session
 */
export async function withTimeLimit<T>(
  options: TimeLimitOptions,
  ms: number,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(options, ms, body)
  } catch (error) {
    if (!isEnded(error)) throw error
  }
  try {
    return await attempt(options, ms, body)
  } catch (error) {
    if (!isEnded(error)) throw error
    await options.admin.query(sql`select`) // fails if Postgres itself is stopping
    throw new SessionEndedError(`a function ended its session: ${errorMessage(error)}`, { cause: error })
  }
}

/** Whether Postgres has closed the session. */
function isEnded(error: unknown): boolean {
  const { severity } = (error ?? {}) as { readonly severity?: string }
  return severity === 'FATAL' && sqlstateOf(error) === SQLSTATE.adminShutdown
}

async function attempt<T>(
  { pool, admin, logger }: TimeLimitOptions,
  ms: number,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let isTerminated = false
  try {
    return await pool.transaction(async (tx) => {
      const [session] = await tx.query<{ pid: number }>(sql`
        select pg_backend_pid() as pid, set_config('statement_timeout', ${String(Math.ceil(ms))}, true)`)
      timer = setTimeout(() => {
        isTerminated = true
        admin.execute(sql`select pg_terminate_backend(${session?.pid ?? 0}::int)`).catch((error: unknown) => {
          logger.log('warn', 'a function of a policy goes on, and its session cannot be ended', {
            reason: errorMessage(error),
          })
        })
      }, ms + TERMINATE_AFTER_MS)
      return body(tx)
    })
  } catch (error) {
    if (isTerminated) throw new TimeLimitError('canceling statement due to statement timeout', { cause: error })
    throw error
  } finally {
    clearTimeout(timer)
  }
}
