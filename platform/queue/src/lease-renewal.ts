import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { renew, type Claimed, type QueueTable } from './queue-table.ts'

/** Jobs that run, and how to end them. */
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
  /** Milliseconds between two extensions; `undefined`: leases are not extended. */
  readonly everyMs: number | undefined
  readonly runs: ReadonlySet<Run>
}

/** Extends the leases of the jobs that run, and aborts jobs that are gone or whose lease is lost. */
export class LeaseRenewal {
  readonly #options: LeaseRenewalOptions
  #timer: NodeJS.Timeout | undefined
  /** By `performance.now()`. */
  #renewedAtMs = 0

  constructor(options: LeaseRenewalOptions) {
    this.#options = options
  }

  /** Jobs have been claimed. */
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

  /** Extends the leases now, and aborts jobs that are gone or not wanted any more. */
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
