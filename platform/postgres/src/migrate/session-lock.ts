import type { ClientBase } from 'pg'
import { delay, type Logger } from '@holdfast/foundation'
import { queryable, type Queryable } from '../connection/pool.ts'
import { sql } from '../sql/sql.ts'

/** Default for how long the session that has a lock may be idle, in ms. */
const IDLE_MAX_MS = 60_000

/** Retry interval in ms for a lock. */
const AGAIN_MS = 100

/** Time in ms after which operators are told which session has the lock. */
const REPORT_MS = 5_000

export interface SessionLockOptions {
  /** Key of the advisory lock. */
  readonly key: number
  readonly logger: Logger
  /** How long the session may be idle, in ms, before Postgres ends it and others get the lock: its process hangs or is stopped. Default: a minute. */
  readonly idleMaxMs?: number | undefined
}

/**
 * Runs `body` while no other session has an advisory lock of this database. Names the session that it waits for in the log.
 *
 * @param body - called with statements that limit the idle time of the session; to be run again after `reset all`
 */
export async function withSessionLock<T>(
  client: ClientBase,
  { key, logger, idleMaxMs = IDLE_MAX_MS }: SessionLockOptions,
  body: (limits: string) => Promise<T>,
): Promise<T> {
  const limits = `set idle_session_timeout = ${idleMaxMs}; set idle_in_transaction_session_timeout = ${idleMaxMs}`
  await takeLock(queryable(client), key, logger)
  try {
    await client.query(limits)
    return await body(limits)
  } finally {
    await client.query(
      `select pg_advisory_unlock(${key}); reset idle_session_timeout; reset idle_in_transaction_session_timeout`,
    )
  }
}

async function takeLock(db: Queryable, key: number, logger: Logger): Promise<void> {
  const reportAt = performance.now() + REPORT_MS
  for (let isReported = false; ;) {
    const [got] = await db.query<{ locked: boolean }>(sql`select pg_try_advisory_lock(${key}) as locked`)
    if (got?.locked === true) return
    if (!isReported && performance.now() > reportAt) {
      isReported = true
      const session = await describeHolder(db, key)
      logger.log('warn', 'the start waits for another process that prepares this database', { session })
    }
    await delay(AGAIN_MS)
  }
}

async function describeHolder(db: Queryable, key: number): Promise<string> {
  const [holder] = await db.query<{ pid: number; application: string | null }>(sql`
    select l.pid, a.application_name as application
      from pg_catalog.pg_locks l
      join pg_catalog.pg_database d on d.oid = l.database and d.datname = current_database()
      left join pg_catalog.pg_stat_activity a on a.pid = l.pid
     where l.granted and l.locktype = 'advisory' and l.objsubid = 1
       and (l.classid::int8 << 32) + l.objid::int8 = ${key}::int8`)
  if (!holder) return 'one that has just ended'
  return `process ${holder.pid} (${holder.application ?? 'unknown'}); pg_terminate_backend(${holder.pid}) ends it`
}
