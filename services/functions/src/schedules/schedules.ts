import { errorMessage, type Logger } from '@holdfast/foundation'
import { renderSettings, runScript, type Pool, type ScriptResult } from '@holdfast/postgres'
import { type Claimed, QueueWorker } from '@holdfast/queue'
import {
  endSession,
  failAbandoned,
  isOurs,
  markDue,
  nextDueMs,
  prune,
  recordEnd,
  recordRunning,
  register,
  scheduleQueue,
  type Ending,
  type Run,
} from './jobs.ts'
import { LOCK_TIMEOUT_MS, MESSAGE_CHARACTERS_MAX, PRUNE_EVERY_MS, RENEW_EVERY_MS } from './limits.ts'
import type { SchedulesOptions } from './options.ts'

export interface OpenSchedulesOptions {
  /** Connected as the superuser, or as the configured user. */
  readonly pool: Pool
  /** Connects as the user whose jobs are run. */
  readonly userUrl: string
  readonly options: SchedulesOptions
  readonly logger: Logger
}

/**
 * Opens the worker that runs due jobs of `cron.job`. Each runs as the user who scheduled it, in its own session, and never concurrently with itself.
 */
export function openSchedules({ pool, userUrl, options, logger }: OpenSchedulesOptions): QueueWorker<Run> {
  const username = usernameOf(userUrl)
  const queue = scheduleQueue(username)
  let isStart = true
  return new QueueWorker<Run>({
    name: 'scheduled jobs',
    pool,
    queue,
    logger,
    slots: options.schedulesRunsMax,
    isServed: () => isOurs(pool),
    prepare: markDueJobs,
    run: ([run], signal) => execute(run, signal),
    renewEveryMs: RENEW_EVERY_MS,
    prune: {
      afterMs: PRUNE_EVERY_MS,
      everyMs: PRUNE_EVERY_MS,
      run: () => prune(pool, options.schedulesDetailsKeptDays),
    },
  })

  async function markDueJobs(): Promise<number | undefined> {
    if (isStart) await register(pool, username)
    await markDue(pool, isStart)
    isStart = false // only after success: if Postgres fails, the next poll must mark the jobs of the start
    await failAbandoned(pool)
    return nextDueMs(pool)
  }

  async function execute(run: Run & Claimed, ending: AbortSignal): Promise<void> {
    const minutes = options.schedulesRunMinutesMax
    const limitMs = minutes * 60_000
    const limited = new AbortController()
    const limit = setTimeout(
      () => limited.abort(new Error(`ended after ${minutes} minutes (schedulesRunMinutesMax)`)),
      limitMs,
    ).unref()
    const signal = AbortSignal.any([ending, limited.signal])
    let pid: number | undefined
    let end: Ending
    try {
      const result = await runScript({
        url: userUrl,
        applicationName: 'pg_cron',
        // Postgres ends the statement even if the server no longer can.
        settings: renderSettings({
          statement_timeout: String(limitMs),
          lock_timeout: String(LOCK_TIMEOUT_MS),
          client_connection_check_interval: '5000',
        }),
        text: run.command,
        onConnected: (connected) => recordRunning(pool, run.runId, (pid = connected)),
        signal,
      })
      end = { status: 'succeeded', message: renderResult(result) }
    } catch (error) {
      end = { status: 'failed', message: renderError(error) }
    }
    clearTimeout(limit)
    if (end.status === 'failed')
      logger.log('warn', 'a scheduled job failed: cron.job_run_details says why', {
        job: run.jobId,
        run: run.runId,
      })
    // The session may still exist.
    if (signal.aborted && pid !== undefined) await endSession(pool, pid)
    await recordEnd(pool, queue, run, end)
  }
}

/** Poolers expect "role.project" as the user. */
function usernameOf(url: string): string {
  return decodeURIComponent(new URL(url).username).replace(/\..+$/, '')
}

function renderResult(result: ScriptResult): string {
  if (result.kind === 'command') return result.tag
  return result.count === 1 ? '1 row' : `${result.count} rows`
}

/** Formats an error like libpq, as pg_cron stores it. */
function renderError(error: unknown): string {
  const { severity, detail, hint } = error as { severity?: string; detail?: string; hint?: string }
  const lines = [
    severity === undefined ? errorMessage(error) : `${severity}:  ${errorMessage(error)}`,
    ...(detail === undefined ? [] : [`DETAIL:  ${detail}`]),
    ...(hint === undefined ? [] : [`HINT:  ${hint}`]),
  ]
  return lines.join('\n').slice(0, MESSAGE_CHARACTERS_MAX)
}
