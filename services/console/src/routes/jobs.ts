import { Type } from 'typebox'
import { type Clock, HoldfastError } from '@holdfast/foundation'
import { sql, type Transaction } from '@holdfast/postgres'
import type { JobList, JobRun, ListedJob } from '@holdfast/protocol'
import { jobUnknown } from '../errors.ts'
import { isHoldfastCron, listJobs, listRuns } from '../jobs/list-jobs.ts'
import { PAGE_ROWS } from '../limits.ts'
import { hasRole } from '../operators/require-operator.ts'
import { countedId } from '../routing/check-input.ts'
import { route, type Route } from '../routing/route.ts'
import { type OpenTableSession, runAsIdentity } from '../tables/table-session.ts'

/** How this server runs scheduled jobs. */
export interface JobSources {
  readonly isOn: boolean
  /** Makes a job due, so that it runs as its owner. */
  requestRun(id: string): Promise<void>
}

export interface JobRoutesNeeds {
  readonly openSession: OpenTableSession
  readonly jobs: JobSources
  readonly clock: Pick<Clock, 'now'>
}

const PROJECT = { kind: 'postgres' } as const

/** Scheduled jobs, read and changed as the project's role. Commands and messages may hold keys and values, so viewers see neither. */
export function jobRoutes(needs: JobRoutesNeeds): readonly Route[] {
  const { openSession, jobs } = needs
  const read = <T>(body: (tx: Transaction) => Promise<T>): Promise<T> =>
    runAsIdentity(openSession, PROJECT, { isReadOnly: true }, body)
  return [
    route('GET /jobs', {
      access: 'viewer',
      run: async ({ session }): Promise<JobList> =>
        await read(async (tx) => {
          const isOurs = await isHoldfastCron(tx)
          const listed = await listJobs(tx, { isOurs, nowMs: needs.clock.now() })
          return {
            runner: isOurs ? (jobs.isOn ? 'server' : 'off') : 'extension',
            jobs: hasRole(session, 'developer') ? listed : listed.map(maskJob),
          }
        }),
    }),
    route('GET /jobs/:id/runs', {
      access: 'viewer',
      query: Type.Object({ before: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })) }),
      run: async ({ parameters, query, session }) => {
        const id = countedId(parameters)
        const runs = await read((tx) => listRuns(tx, { id, before: query.before, limit: PAGE_ROWS + 1 }))
        const page = runs.slice(0, PAGE_ROWS)
        return {
          runs: hasRole(session, 'developer') ? page : page.map(maskRun),
          ...(runs.length > page.length && { next: page.at(-1)?.id }),
        }
      },
    }),
    ...changeRoutes(needs, read),
  ]
}

function changeRoutes(
  { openSession, jobs, clock }: JobRoutesNeeds,
  read: <T>(body: (tx: Transaction) => Promise<T>) => Promise<T>,
): readonly Route[] {
  return [
    route('POST /jobs/:id/run', {
      access: 'developer',
      action: 'run_job',
      run: async ({ parameters, note }) => {
        const id = countedId(parameters)
        note({ target: `job ${id}` })
        const { isOurs, job } = await read(async (tx) => {
          const ours = await isHoldfastCron(tx)
          return { isOurs: ours, job: await getJob(tx, { isOurs: ours, nowMs: clock.now(), id }) }
        })
        note({ target: targetOf(job), after: { command: job.command, as: job.username } })
        if (!isOurs) throw notRunnable('The extension pg_cron runs the jobs of this database.')
        if (!jobs.isOn) throw notRunnable('This server runs no jobs: it was started with --no-schedules-enabled.')
        if (!job.isActive) throw notRunnable('The job is switched off. Switch it on first.')
        await jobs.requestRun(id)
      },
    }),
    route('PATCH /jobs/:id', {
      access: 'developer',
      action: 'switch_job',
      body: Type.Object({ isActive: Type.Boolean() }),
      run: async ({ parameters, body, note }) => {
        const id = countedId(parameters)
        note({ target: `job ${id}`, after: body })
        await runAsIdentity(openSession, PROJECT, { isReadOnly: false }, async (tx) => {
          const job = await getJob(tx, { isOurs: false, nowMs: clock.now(), id })
          note({ target: targetOf(job), before: { isActive: job.isActive } })
          await tx.execute(sql`select cron.alter_job(job_id => ${id}::bigint, active => ${body.isActive}::boolean)`)
        })
      },
    }),
  ]
}

async function getJob(tx: Transaction, which: Parameters<typeof listJobs>[1]): Promise<ListedJob> {
  const [job] = await listJobs(tx, which)
  if (!job) throw jobUnknown()
  return job
}

const maskRun = (run: JobRun): JobRun => ({ ...run, message: null })

function maskJob(job: ListedJob): ListedJob {
  return { ...job, command: null, lastRun: job.lastRun && maskRun(job.lastRun) }
}

const targetOf = ({ id, name }: ListedJob): string => (name === null ? `job ${id}` : `job ${id} (${name})`)

function notRunnable(message: string): HoldfastError {
  return new HoldfastError('job_not_run', 409, message)
}
