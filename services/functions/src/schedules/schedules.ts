import { errorMessage, type Logger } from '@holdfast/foundation'
import { renderSettings, runScript, type Pool, type ScriptResult } from '@holdfast/postgres'
import {
  claim,
  endSession,
  failAbandoned,
  hasJobs,
  isOurs,
  markDue,
  nextDueMs,
  prune,
  recordEnd,
  recordRunning,
  register,
  renew,
  type Ending,
  type Run,
} from './jobs.ts'
import {
  LEASE_MS,
  LOCK_TIMEOUT_MS,
  LOOK_AGAIN_MS,
  MESSAGE_CHARACTERS_MAX,
  PRUNE_EVERY_MS,
  PRUNE_ROWS,
  RENEW_EVERY_MS,
  WAIT_MAX_MS,
  WAIT_MIN_MS,
} from './limits.ts'
import type { SchedulesOptions } from './options.ts'

export interface OpenSchedulesOptions {
  /** Connected as the superuser, or as the configured user. */
  readonly pool: Pool
  /** Connects as the user whose jobs are run. */
  readonly userUrl: string
  readonly options: SchedulesOptions
  readonly logger: Logger
}

/** Why a run is ended before its end, in the words of pg_cron where it has them. */
class Ended extends Error {}

interface Running extends Run {
  readonly ending: AbortController
  readonly done: Promise<void>
}

/**
 * Runs the jobs of `cron.job` when they are due, each as the user who scheduled it and in a session of its own, never twice at the same time. Any number of servers
 * of one database share the jobs.
 */
export class Schedules implements AsyncDisposable {
  readonly #pool: Pool
  readonly #userUrl: string
  readonly #username: string
  readonly #options: SchedulesOptions
  readonly #logger: Logger
  readonly #running = new Map<string, Running>()
  #isOurs: boolean | undefined
  #isStart = true
  #looking: Promise<void> | undefined
  #isDue = false
  #isClosing = false
  #timer: NodeJS.Timeout | undefined
  #renewing: NodeJS.Timeout | undefined
  /** By `performance.now()`. */
  #renewedAtMs = 0
  #pruning: NodeJS.Timeout | undefined

  constructor({ pool, userUrl, options, logger }: OpenSchedulesOptions) {
    this.#pool = pool
    this.#userUrl = userUrl
    this.#username = usernameOf(userUrl)
    this.#options = options
    this.#logger = logger
  }

  /** A job may be due, or has changed. */
  wake(): void {
    if (this.#isClosing) return
    this.#isDue = true
    this.#looking ??= this.#lookUntilDone().finally(() => (this.#looking = undefined))
  }

  async #lookUntilDone(): Promise<void> {
    while (this.#isDue && !this.#isClosing) {
      this.#isDue = false
      try {
        await this.#look()
      } catch (error) {
        this.#logger.log('debug', `the jobs of cron.job cannot be read yet: ${errorMessage(error)}`)
        this.#wakeAfter(LOOK_AGAIN_MS)
      }
    }
  }

  async #look(): Promise<void> {
    this.#isOurs ??= await isOurs(this.#pool)
    if (!this.#isOurs) return
    clearTimeout(this.#timer)
    const isStart = this.#isStart
    if (isStart) await register(this.#pool, this.#username)
    const hasWork = this.#running.size > 0 || (await hasJobs(this.#pool))
    if (hasWork) await markDue(this.#pool, isStart)
    this.#isStart = false // not before: where Postgres fails, the next look has to mark the jobs of the start
    if (!hasWork) return
    await failAbandoned(this.#pool)
    await this.#renew()
    const free = this.#options.schedulesRunsMax - this.#running.size
    if (free > 0) for (const run of await claim(this.#pool, this.#username, free)) this.#begin(run)
    const ms = await nextDueMs(this.#pool)
    if (ms !== undefined) this.#wakeAfter(Math.min(ms, WAIT_MAX_MS))
  }

  #begin(run: Run): void {
    const ending = new AbortController()
    const done = this.#execute(run, ending).finally(() => {
      this.#running.delete(run.runId)
      this.wake()
    })
    this.#running.set(run.runId, { ...run, ending, done })
    this.#keepRenewing()
    this.#pruning ??= setTimeout(() => void this.#prune(), PRUNE_EVERY_MS).unref()
  }

  async #execute(run: Run, ending: AbortController): Promise<void> {
    const limitMs = this.#options.schedulesRunMinutesMax * 60_000
    const limit = setTimeout(
      () =>
        ending.abort(new Ended(`ended after ${this.#options.schedulesRunMinutesMax} minutes (schedulesRunMinutesMax)`)),
      limitMs,
    ).unref()
    let pid: number | undefined
    let end: Ending
    try {
      const result = await runScript({
        url: this.#userUrl,
        applicationName: 'pg_cron',
        // Postgres ends what the server cannot any more.
        settings: renderSettings({
          statement_timeout: String(limitMs),
          lock_timeout: String(LOCK_TIMEOUT_MS),
          client_connection_check_interval: '5000',
        }),
        text: run.command,
        onConnected: (connected) => recordRunning(this.#pool, run.runId, (pid = connected)),
        signal: ending.signal,
      })
      end = { status: 'succeeded', message: renderResult(result) }
    } catch (error) {
      end = { status: 'failed', message: renderError(error) }
    }
    clearTimeout(limit)
    await this.#conclude(run, end, ending.signal.aborted ? pid : undefined)
  }

  /** @param pid - of a session that may still be there */
  async #conclude(run: Run, end: Ending, pid: number | undefined): Promise<void> {
    try {
      if (pid !== undefined) await endSession(this.#pool, pid)
      await recordEnd(this.#pool, run, end)
    } catch (error) {
      this.#logger.log('warn', 'what came of a scheduled job could not be recorded', {
        job: run.jobId,
        run: run.runId,
        error: errorMessage(error),
      })
    }
    if (end.status === 'failed')
      this.#logger.log('warn', 'a scheduled job failed: cron.job_run_details says why', {
        job: run.jobId,
        run: run.runId,
      })
  }

  #keepRenewing(): void {
    if (this.#renewing) return
    this.#renewedAtMs = performance.now()
    this.#renewing = setInterval(() => void this.#renewOrEnd(), RENEW_EVERY_MS).unref()
  }

  async #renewOrEnd(): Promise<void> {
    try {
      await this.#renew()
    } catch (error) {
      this.#logger.log('debug', `running jobs could not be kept: ${errorMessage(error)}`)
      // Another server may take them over from now on.
      if (performance.now() - this.#renewedAtMs > LEASE_MS)
        for (const { ending } of this.#running.values()) ending.abort(new Ended('connection lost'))
    }
  }

  /** Ends those whose job was unscheduled or switched off. */
  async #renew(): Promise<void> {
    const runs = [...this.#running.values()]
    if (runs.length === 0) {
      clearInterval(this.#renewing)
      this.#renewing = undefined
      return
    }
    const kept = await renew(
      this.#pool,
      runs.map(({ runId }) => runId),
    )
    this.#renewedAtMs = performance.now()
    for (const { runId, ending } of runs) if (!kept.has(runId)) ending.abort(new Ended('job canceled'))
  }

  #wakeAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), Math.max(ms, WAIT_MIN_MS)).unref()
  }

  async #prune(): Promise<void> {
    let isLeft = true
    try {
      isLeft = await prune(this.#pool, this.#options.schedulesDetailsKeptDays, PRUNE_ROWS)
    } catch (error) {
      this.#logger.log('debug', `old details of jobs could not be deleted: ${errorMessage(error)}`)
    }
    this.#pruning =
      isLeft && !this.#isClosing ? setTimeout(() => void this.#prune(), PRUNE_EVERY_MS).unref() : undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#pruning)
    clearInterval(this.#renewing)
    await this.#looking
    clearTimeout(this.#timer)
    const runs = [...this.#running.values()]
    for (const { ending } of runs) ending.abort(new Ended('server stopped'))
    await Promise.all(runs.map(({ done }) => done))
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

/** As libpq has it, which is what pg_cron keeps. */
function renderError(error: unknown): string {
  const { severity, detail, hint } = error as { severity?: string; detail?: string; hint?: string }
  const lines = [
    severity === undefined ? errorMessage(error) : `${severity}:  ${errorMessage(error)}`,
    ...(detail === undefined ? [] : [`DETAIL:  ${detail}`]),
    ...(hint === undefined ? [] : [`HINT:  ${hint}`]),
  ]
  return lines.join('\n').slice(0, MESSAGE_CHARACTERS_MAX)
}
