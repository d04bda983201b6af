import { sql, type Pool } from '@holdfast/postgres'
import { PENDING_MAX } from './schedules/limits.ts'

/** Makes a scheduled job due now, as whose owner a server then runs it. @param pool - connects as Holdfast's own user */
export async function requestRun(pool: Pool, jobId: string): Promise<void> {
  await pool.execute(sql`
    update cron.holdfast_state set pending = least(pending + 1, ${PENDING_MAX}::int) where jobid = ${jobId}::bigint`)
  await pool.execute(sql`select pg_notify('holdfast_schedules', '')`)
}

/**
 * Makes a request of the database due whose last attempt failed. If it is being sent, it may be sent twice, as after any lost response.
 *
 * @param pool - connects as Holdfast's own user
 * @returns whether there is such a request
 */
export async function sendNow(pool: Pool, requestId: string): Promise<boolean> {
  const [found] = await pool.query(sql`
    update net.http_request_queue set due_at = now() where id = ${requestId}::bigint and last_error is not null returning id`)
  if (!found) return false
  await pool.execute(sql`select pg_notify('holdfast_webhooks', '')`)
  return true
}
