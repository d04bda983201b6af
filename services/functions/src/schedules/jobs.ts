import { sql, type Pool } from '@holdfast/postgres'
import { DETAILS_PER_JOB_MAX, LEASE_MS, PENDING_MAX } from './limits.ts'

/** A run that this server begins now. */
export interface Run {
  readonly jobId: string
  readonly runId: string
  readonly command: string
}

/** How a run came to its end. */
export interface Ending {
  readonly status: 'succeeded' | 'failed'
  readonly message: string
}

const LEASE = sql`make_interval(secs => ${LEASE_MS}::float8 / 1000)`
const NOW = sql`clock_timestamp()`

/** Whether the jobs are those that this server runs, not those of the extension itself. */
export async function isOurs(pool: Pool): Promise<boolean> {
  const [row] = await pool.query<{ ours: boolean }>(sql`select to_regclass('cron.holdfast_state') is not null as ours`)
  return row?.ours === true
}

export async function hasJobs(pool: Pool): Promise<boolean> {
  const [row] = await pool.query<{ any: boolean }>(sql`select exists (select from cron.job) as any`)
  return row?.any === true
}

/** Writes down as whom this server can run jobs: others are refused when they are scheduled. */
export async function register(pool: Pool, username: string): Promise<void> {
  await pool.execute(
    sql`insert into cron.holdfast_runner (username) select ${username} where not exists (select from cron.holdfast_runner where username = ${username}) on conflict do nothing`,
  )
}

/**
 * Counts what has become due since it was looked at last. Each job's minute is moved on by one server, and the others see that it was.
 *
 * @param isStart - jobs with `@reboot` are due as well
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

/** Begins runs that are due, no job twice at the same time. */
export async function claim(pool: Pool, username: string, most: number): Promise<readonly Run[]> {
  return pool.query<Run>(sql`
    with chosen as (
      select s.jobid from cron.holdfast_state s join cron.job j using (jobid)
       where s.pending > 0 and j.active and j.username = ${username} and (s.held_until is null or s.held_until < ${NOW})
       order by s.last_start limit ${most} for update of s skip locked
    ), begun as (
      update cron.holdfast_state s
         set pending = s.pending - 1, runid = nextval('cron.runid_seq'), held_until = ${NOW} + ${LEASE}, last_start = ${NOW}
        from chosen where s.jobid = chosen.jobid
      returning s.jobid, s.runid
    )
    insert into cron.job_run_details (jobid, runid, database, username, command, status)
    select j.jobid, begun.runid, j.database, j.username, j.command, 'starting' from begun join cron.job j using (jobid)
    returning jobid::text as "jobId", runid::text as "runId", command`)
}

/** Milliseconds until a job is due; `undefined` when none will be. */
export async function nextDueMs(pool: Pool): Promise<number | undefined> {
  const [row] = await pool.query<{ ms: number | null }>(sql`
    select (extract(epoch from min(
             case when (s.schedule).seconds is not null and s.pending = 0 then greatest(s.last_start + make_interval(secs => (s.schedule).seconds), coalesce(s.held_until, '-infinity'))
                  else date_trunc('minute', ${NOW}, 'UTC') + interval '1 minute' end) - ${NOW}) * 1000)::float8 as ms
      from cron.holdfast_state s join cron.job j using (jobid)
     where j.active and (s.schedule).at_start is null`)
  return row?.ms ?? undefined
}

/** The run has a session, and its command is about to be sent. */
export async function recordRunning(pool: Pool, runId: string, pid: number): Promise<void> {
  await pool.execute(sql`
    update cron.job_run_details set status = 'running', job_pid = ${pid}::int, start_time = ${NOW} where runid = ${runId}::bigint`)
}

/** Writes down how a run ended, and lets the job have its next one. */
export async function recordEnd(pool: Pool, { jobId, runId }: Run, { status, message }: Ending): Promise<void> {
  await pool.execute(sql`
    with released as (
      update cron.holdfast_state set runid = null, held_until = null where jobid = ${jobId}::bigint and runid = ${runId}::bigint
    )
    update cron.job_run_details
       set status = ${status}, return_message = ${message}, start_time = coalesce(start_time, ${NOW}), end_time = ${NOW}
     where runid = ${runId}::bigint`)
}

/** Says that this server is still at these runs. @returns those whose job is still there, and active */
export async function renew(pool: Pool, runIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await pool.query<{ runId: string }>(sql`
    update cron.holdfast_state s set held_until = ${NOW} + ${LEASE}
      from cron.job j where j.jobid = s.jobid and j.active and s.runid = any(${[...runIds]}::bigint[])
    returning s.runid::text as "runId"`)
  return new Set(rows.map(({ runId }) => runId))
}

/** Marks runs as failed whose server says nothing of them any more. */
export async function failAbandoned(pool: Pool): Promise<void> {
  await pool.execute(sql`
    update cron.job_run_details d set status = 'failed', return_message = 'server restarted', end_time = ${NOW}
     where d.status in ('starting', 'running')
       and not exists (select from cron.holdfast_state s where s.runid = d.runid and s.held_until > ${NOW})`)
}

/** Deletes some of what is older than it is kept, and what is too much of one job. @returns whether anything is left to delete, now or later */
export async function prune(pool: Pool, days: number, rows: number): Promise<boolean> {
  const [answer] = await pool.query<{ left: boolean }>(sql`
    with old as (
      delete from cron.job_run_details where runid in (
        select runid from cron.job_run_details where start_time < now() - make_interval(days => ${days}::int) order by start_time limit ${rows})
    ), surplus as (
      delete from cron.job_run_details where runid in (
        select d.runid
          from cron.job j
         cross join lateral (
           select k.runid from cron.job_run_details k where k.jobid = j.jobid order by k.runid desc offset ${DETAILS_PER_JOB_MAX}::int limit 1) last_kept
          join cron.job_run_details d on d.jobid = j.jobid and d.runid <= last_kept.runid
         limit ${rows})
    )
    select exists (select from cron.job_run_details) as left`)
  return answer?.left === true
}

/** Ends the session of a run, for good. */
export async function endSession(pool: Pool, pid: number): Promise<void> {
  await pool.execute(sql`select pg_terminate_backend(${pid}::int)`)
}
