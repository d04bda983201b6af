import { sql, type Transaction } from '@holdfast/postgres'
import type { JobRun, ListedJob } from '@holdfast/protocol'
import { JOB_MESSAGE_CHARS_MAX, JOBS_MAX } from '../limits.ts'
import { nextRun, type ParsedSchedule } from './next-run.ts'

interface Row extends Omit<ListedJob, 'nextAt' | 'lastRun'> {
  readonly parsed: ParsedSchedule | null
  readonly lastStart: Date | null
  readonly lastRun: JobRun | null
}

const RUN = sql`d.runid::text as id, d.status, d.start_time as "startedAt", d.end_time as "endedAt",
  left(d.return_message, ${JOB_MESSAGE_CHARS_MAX}::int) as message`

/** Returns whether Holdfast schedules the jobs, and not the extension pg_cron. */
export async function isHoldfastCron(tx: Transaction): Promise<boolean> {
  const [row] = await tx.query<{ ours: boolean }>(sql`select to_regclass('cron.holdfast_state') is not null as ours`)
  return row?.ours === true
}

/** Lists the jobs that the transaction's role sees. @param id - only this one */
export async function listJobs(
  tx: Transaction,
  { isOurs, nowMs, id }: { readonly isOurs: boolean; readonly nowMs: number; readonly id?: string },
): Promise<readonly ListedJob[]> {
  const state = isOurs
    ? sql`(select to_jsonb(s.schedule) as parsed, s.last_start from cron.holdfast_state s where s.jobid = j.jobid)`
    : sql`(select null::jsonb as parsed, null::timestamptz as last_start)`
  const rows = await tx.query<Row>(sql`
    select j.jobid::text as id, j.jobname as name, j.schedule, j.command, j.username, j.active as "isActive",
           s.parsed, s.last_start as "lastStart",
           (select to_jsonb(r) from (
              select ${RUN} from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 1) r) as "lastRun"
      from cron.job j left join lateral ${state} s on true
     where ${id ?? null}::bigint is null or j.jobid = ${id ?? null}::bigint
     order by j.jobname nulls last, j.jobid limit ${JOBS_MAX}::int`)
  return rows.map(({ parsed, lastStart, ...job }) => {
    const nextMs = parsed && job.isActive ? nextRun(parsed, nowMs, lastStart?.getTime() ?? 0) : undefined
    return { ...job, nextAt: nextMs === undefined ? null : new Date(nextMs).toISOString() }
  })
}

/** Lists runs of a job, newest first. @param before - only runs with a lower id */
export function listRuns(
  tx: Transaction,
  { id, before, limit }: { readonly id: string; readonly before: string | undefined; readonly limit: number },
): Promise<readonly JobRun[]> {
  return tx.query<JobRun>(sql`
    select ${RUN} from cron.job_run_details d
     where d.jobid = ${id}::bigint and (${before ?? null}::bigint is null or d.runid < ${before ?? null}::bigint)
     order by d.runid desc limit ${limit}::int`)
}
