import { sql, type Pool } from '@holdfast/postgres'
import { type Claimed, pruneSql, type QueueTable, settleSql } from '@holdfast/queue'
import { DETAILS_PER_JOB_MAX, LEASE_MS, PENDING_MAX, PRUNE_ROWS } from './limits.ts'

/** A run claimed by this server. */
export interface Run {
  readonly jobId: string
  readonly runId: string
  readonly command: string
}

/** Outcome of a run. */
export interface Ending {
  readonly status: 'succeeded' | 'failed'
  readonly message: string
}

const NOW = sql`clock_timestamp()`

/** Returns whether the jobs belong to Holdfast rather than to the pg_cron extension. */
export async function isOurs(pool: Pool): Promise<boolean> {
  const [row] = await pool.query<{ ours: boolean }>(sql`select to_regclass('cron.holdfast_state') is not null as ours`)
  return row?.ours === true
}

/** Records the user as whom this server runs jobs. Scheduling jobs for other users is refused. */
export async function register(pool: Pool, username: string): Promise<void> {
  await pool.execute(
    sql`insert into cron.holdfast_runner (username) select ${username} where not exists (select from cron.holdfast_runner where username = ${username}) on conflict do nothing`,
  )
}

/**
 * Counts the runs that became due since the last check. Only one server advances the minute of a job; the others see that it has moved.
 *
 * @param isStart - whether jobs with `@reboot` are due
 */
export async function markDue(pool: Pool, isStart: boolean): Promise<void> {
  await pool.execute(sql`
    update cron.holdfast_state s
       set pending = least(s.pending + cron.holdfast_due(s.schedule, s.minute, clock.minute), ${PENDING_MAX}::int), minute = clock.minute
      from cron.job j, (select date_trunc('minute', ${NOW}, 'UTC') as minute) clock
     where j.jobid = s.jobid and j.active and (s.schedule).minutes is not null
       -- A clock that was set back by hours is believed.
       and (s.minute < clock.minute or s.minute > clock.minute + interval '3 hours')`)
  await pool.execute(sql`
    update cron.holdfast_state s set pending = 1
      from cron.job j
     where j.jobid = s.jobid and j.active and s.pending = 0
       and ((s.schedule).seconds is not null and s.last_start + make_interval(secs => (s.schedule).seconds) <= ${NOW}
            or ${isStart}::boolean and (s.schedule).at_start)`)
}

/** The queue of a user's jobs. A claim starts a run, and each job has at most one run at a time. A run whose lease expires counts as ended. */
export function scheduleQueue(username: string): QueueTable {
  const isActive = sql`exists (select from cron.job j where j.jobid = q.jobid and j.active and j.username = ${username})`
  return {
    table: ['cron', 'holdfast_state'],
    key: { name: 'jobid', type: 'bigint' },
    dueAt: 'held_until',
    isDueWithoutTime: true,
    fence: { name: 'runid', type: 'bigint', next: sql`nextval('cron.runid_seq')` },
    lease: LEASE_MS,
    isWaiting: sql`q.pending > 0 and ${isActive}`,
    isRenewed: isActive,
    claimSets: sql`pending = q.pending - 1, last_start = ${NOW}`,
    order: sql`q.last_start`,
    columns: sql`q.jobid, q.runid`,
    extendClaim: (claims) => sql`
      with begun as (${claims}),
      details as (
        insert into cron.job_run_details (jobid, runid, database, username, command, status)
        select j.jobid, begun.runid, j.database, j.username, j.command, 'starting' from begun join cron.job j using (jobid)
        returning runid, command)
      select begun.id, begun.fence, begun.lane, begun.id as "jobId", begun.fence as "runId", details.command
        from begun join details using (runid)`,
  }
}

/** Returns the milliseconds until the next job is due; `undefined` if there is none. */
export async function nextDueMs(pool: Pool): Promise<number | undefined> {
  const [row] = await pool.query<{ ms: number | null }>(sql`
    select (extract(epoch from min(
             case when (s.schedule).seconds is not null and s.pending = 0 then greatest(s.last_start + make_interval(secs => (s.schedule).seconds), coalesce(s.held_until, '-infinity'))
                  else date_trunc('minute', ${NOW}, 'UTC') + interval '1 minute' end) - ${NOW}) * 1000)::float8 as ms
      from cron.holdfast_state s join cron.job j using (jobid)
     where j.active and (s.schedule).at_start is null`)
  return row?.ms ?? undefined
}

/** Records that a run has a database session and is about to send its command. */
export async function recordRunning(pool: Pool, runId: string, pid: number): Promise<void> {
  await pool.execute(sql`
    update cron.job_run_details set status = 'running', job_pid = ${pid}::int, start_time = ${NOW} where runid = ${runId}::bigint`)
}

/** Records the outcome of a run and allows the job's next run. */
export async function recordEnd(
  pool: Pool,
  queue: QueueTable,
  run: Run & Claimed,
  { status, message }: Ending,
): Promise<void> {
  await pool.execute(sql`
    with released as (${settleSql(queue, [run], sql`runid = null, held_until = null`)})
    update cron.job_run_details
       set status = ${status}, return_message = ${message}, start_time = coalesce(start_time, ${NOW}), end_time = ${NOW}
     where runid = ${run.runId}::bigint`)
}

/** Marks unfinished runs without a valid lease as failed, because their server has abandoned them. */
export async function failAbandoned(pool: Pool): Promise<void> {
  await pool.execute(sql`
    update cron.job_run_details d set status = 'failed', return_message = 'server restarted', end_time = ${NOW}
     where d.status in ('starting', 'running')
       and not exists (select from cron.holdfast_state s where s.runid = d.runid and s.held_until > ${NOW})`)
}

/** Deletes a batch of expired rows and of rows beyond the limit per job. @returns whether rows remain to be deleted, now or later */
export async function prune(pool: Pool, days: number): Promise<boolean> {
  const [answer] = await pool.query<{ left: boolean }>(sql`
    with old as (
      ${pruneSql(['cron', 'job_run_details'], { key: 'runid', at: 'start_time' }, sql`make_interval(days => ${days}::int)`, PRUNE_ROWS)}
    ), surplus as (
      delete from cron.job_run_details where runid in (
        select d.runid
          from cron.job j
         cross join lateral (
           select k.runid from cron.job_run_details k where k.jobid = j.jobid order by k.runid desc offset ${DETAILS_PER_JOB_MAX}::int limit 1) last_kept
          join cron.job_run_details d on d.jobid = j.jobid and d.runid <= last_kept.runid
         limit ${PRUNE_ROWS})
    )
    select exists (select from cron.job_run_details) as left`)
  return answer?.left === true
}

/** Terminates the database session of a run. */
export async function endSession(pool: Pool, pid: number): Promise<void> {
  await pool.execute(sql`select pg_terminate_backend(${pid}::int)`)
}
