import { delay } from '@holdfast/foundation'
import { sql, sqlstateOf, type Pool, type SqlFragment, type Transaction } from '@holdfast/postgres'

/**
 * Lock timeout of a step in ms. Later requests queue behind it. Shorter than Postgres's `deadlock_timeout` of a second, so our step yields before Postgres
 * chooses a victim.
 */
const LOCK_TIMEOUT_MS = 300

/** The same after the total time is up: a free lock is granted immediately. */
const IMPATIENT_LOCK_TIMEOUT_MS = 10

/** Delays in ms between attempts. */
const RETRY_DELAYS_MS = [20, 50, 100, 200, 400, 800]

/** Default total wait in ms for the locks of a task's steps. */
const STEPS_TIMEOUT_MS = 3_000

/** Conflict with another session: lock not available, deadlock, serialization. `XX000` is "tuple concurrently updated". */
const BUSY_STATES: ReadonlySet<string> = new Set(['55P03', '40P01', '40001', 'XX000'])

export type StepOutcome = { readonly kind: 'done' } | { readonly kind: 'busy'; readonly error: unknown }

/** Deadline of several steps, in ms of `performance.now()`. */
export interface Deadline {
  readonly untilMs: number
}

export function startDeadline(ms: number = STEPS_TIMEOUT_MS): Deadline {
  return { untilMs: performance.now() + ms }
}

/**
 * Runs DDL in a transaction that waits for at most one table and then holds locks briefly, with retries. User statements never deadlock with it and are delayed
 * only briefly. Event triggers do not fire, because there is nothing to announce.
 *
 * @param deadline - shared by a task's steps, so many locked tables take no longer than one. Each step is attempted at least once
 */
export async function runShortStep(
  pool: Pool,
  body: (tx: Transaction) => Promise<void>,
  deadline: Deadline = startDeadline(),
): Promise<StepOutcome> {
  for (let attempt = 0; ; attempt++) {
    const leftMs = deadline.untilMs - performance.now()
    const lockTimeoutMs = Math.ceil(Math.min(LOCK_TIMEOUT_MS, Math.max(IMPATIENT_LOCK_TIMEOUT_MS, leftMs)))
    try {
      await pool.transaction(async (tx) => {
        await tx.query(sql`
          select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true), set_config('synchronous_commit', 'off', true),
                 set_config('holdfast.publishes', 'on', true),
                 case when has_parameter_privilege('session_replication_role', 'set')
                      then set_config('session_replication_role', 'replica', true) end`)
        await body(tx)
      })
      return { kind: 'done' }
    } catch (error) {
      if (!BUSY_STATES.has(sqlstateOf(error) ?? '')) throw error
      const pause = RETRY_DELAYS_MS[attempt]
      if (pause === undefined || performance.now() + pause > deadline.untilMs) return { kind: 'busy', error }
      await delay(pause)
    }
  }
}

/**
 * Call before writing to `pg_class`: `GRANT` and `REVOKE` write there without a table lock and fail with "tuple concurrently updated" on a conflict. They hold
 * this lock in shared mode until their transaction ends (`0004_grant_guard.sql`). Never waits, because the step holds a table lock.
 *
 * @throws 55P03 while a user's transaction has changed rights
 */
export async function excludeGrants(tx: Transaction): Promise<void> {
  await tx.execute(EXCLUDE_GRANTS)
}

const EXCLUDE_GRANTS: SqlFragment = sql`
  do $$
  begin
    if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('holdfast grants', 0)) then
      raise lock_not_available using message = 'a transaction that is not over has changed rights';
    end if;
  end
  $$`
