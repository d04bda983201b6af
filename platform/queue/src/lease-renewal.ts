import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { renew, type Claimed, type QueueTable } from './queue-table.ts'

/** Running jobs and how to abort them. */
export interface Run {
  readonly jobs: readonly Claimed[]
  readonly ending: AbortController
  readonly done: Promise<void>
}

interface LeaseRenewalOptions {
  /** For logs: `webhooks`. */
  readonly name: string
  readonly pool: Pool
  readonly queue: QueueTable
  readonly logger: Logger
  /** Interval in ms between extensions; `undefined` if leases are not extended. */
  readonly everyMs: number | undefined
  readonly runs: ReadonlySet<Run>
}

/** Extends the leases of running jobs. Aborts jobs that were deleted or whose lease was lost. */
export class LeaseRenewal {
  readonly #options: LeaseRenewalOptions
  #timer: NodeJS.Timeout | undefined
  /** By `performance.now()`. */
  #renewedAtMs = 0

  constructor(options: LeaseRenewalOptions) {
    this.#options = options
  }

  /** Called when jobs have been claimed. */
  begin(): void {
    const { everyMs } = this.#options
    if (everyMs === undefined || this.#timer) return
    this.#renewedAtMs = performance.now()
    this.#timer = setInterval(() => void this.#renewOrAbort(), everyMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Extends the leases now. Aborts jobs that were deleted or may no longer run. */
  async renew(): Promise<void> {
    if (!this.#timer) return
    const { pool, queue, runs } = this.#options
    if (runs.size === 0) {
      this.stop()
      return
    }
    const asked = [...runs]
    const kept = await renew(
      pool,
      queue,
      asked.flatMap(({ jobs }) => jobs),
    )
    this.#renewedAtMs = performance.now()
    abortRuns(
      asked.filter(({ jobs }) => !jobs.every(({ id }) => kept.has(id))),
      'job canceled',
    )
  }

  async #renewOrAbort(): Promise<void> {
    const { name, queue, logger, runs } = this.#options
    try {
      await this.renew()
    } catch (error) {
      logger.log('debug', `leases of the queue of ${name} could not be extended: ${errorMessage(error)}`)
      // Another server may claim the jobs from now on.
      if (typeof queue.lease === 'number' && performance.now() - this.#renewedAtMs > queue.lease)
        abortRuns(runs, 'connection lost')
    }
  }
}

export function abortRuns(runs: Iterable<Run>, reason: string): void {
  for (const { ending } of runs) ending.abort(new Error(reason))
}
