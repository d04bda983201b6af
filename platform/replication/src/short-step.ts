import { delay } from '@holdfast/foundation'
import { sql, sqlstateOf, type Pool, type SqlFragment, type Transaction } from '@holdfast/postgres'

/**
 * How long a step waits for a table. Whoever comes after it waits behind it; and it is shorter than Postgres's `deadlock_timeout` of a second, so that a
 * deadlock ends before Postgres has to choose one of the two.
 */
const LOCK_TIMEOUT_MS = 300

/** The same once the time for all steps is up: a lock that is free is granted at once. */
const IMPATIENT_LOCK_TIMEOUT_MS = 10

/** Waits between the attempts, in milliseconds. */
const RETRY_DELAYS_MS = [20, 50, 100, 200, 400, 800]

/** How long the steps of one task wait for locks together, in milliseconds, unless the caller says otherwise. */
const PATIENCE_MS = 3_000

/** Another person has what a step needs: lock not available, deadlock, serialization. `XX000` is "tuple concurrently updated". */
const BUSY_STATES: ReadonlySet<string> = new Set(['55P03', '40P01', '40001', 'XX000'])

export type StepOutcome = { readonly kind: 'done' } | { readonly kind: 'busy'; readonly error: unknown }

/** Until when several steps wait for locks, in milliseconds of `performance.now()`. */
export interface Patience {
  readonly untilMs: number
}

export function startPatience(ms: number = PATIENCE_MS): Patience {
  return { untilMs: performance.now() + ms }
}

/**
 * Runs DDL of Holdfast in a transaction that waits for one table at most and then holds nothing for long, and repeats it while the patience lasts. So no statement of
 * a user is ever in a deadlock with it, and none waits longer than a moment. No event trigger fires: what announces changes of the schema has nothing to say.
 *
 * @param patience - shared by the steps of a task, so that many locked tables take no longer than one. Each step has at least one attempt
 */
export async function runShortStep(
  pool: Pool,
  body: (tx: Transaction) => Promise<void>,
  patience: Patience = startPatience(),
): Promise<StepOutcome> {
  for (let attempt = 0; ; attempt++) {
    const leftMs = patience.untilMs - performance.now()
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
      if (pause === undefined || performance.now() + pause > patience.untilMs) return { kind: 'busy', error }
      await delay(pause)
    }
  }
}

/**
 * Before a row of `pg_class` is written: `GRANT` and `REVOKE` write there without a lock of the table, and fail with "tuple concurrently updated" when another
 * transaction does. They hold this lock shared to the end of theirs (`0004_grant_guard.sql`). Never waits, as the step has a table locked.
 *
 * @throws 55P03 while a person's transaction has changed rights
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
