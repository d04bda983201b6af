import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { ABORTED_MS, LOOK_AGAIN_MS, WAIT_MAX_MS, WAIT_MIN_MS } from './limits.ts'
import { abortRuns, LeaseRenewal, type Run } from './lease-renewal.ts'
import { transition, type PollEvent, type PollState } from './poll-state.ts'
import { claim, type Claimed, findWaiting, type Lane, listLanes, type QueueTable } from './queue-table.ts'
import { LaneScheduler } from './lane-scheduler.ts'

/** The jobs of one turn. */
export type Batch<Job> = readonly [Job & Claimed, ...(Job & Claimed)[]]

export interface WorkerOptions<Job extends object> {
  /** For logs: `webhooks`. */
  readonly name: string
  readonly pool: Pool
  readonly queue: QueueTable
  readonly logger: Logger
  /** Maximum turns at the same time, in total and per group of lanes. */
  readonly slots: number
  readonly groupSlots?: number
  /**
   * Runs the jobs of one turn: one, or a batch of a lane, and settles them. Jobs that it does not settle, or after a rejection, are due again when their
   * lease ends.
   *
   * @param signal - aborts with the reason when the worker closes or the jobs are taken away
   */
  readonly run: (jobs: Batch<Job>, signal: AbortSignal) => Promise<void>
  /** Whether this server serves the table. Called once. */
  readonly isServed?: () => Promise<boolean>
  /** Runs before each poll, to add what has become due. @returns milliseconds until the next poll is needed */
  readonly prepare?: () => Promise<number | undefined>
  /** Poll interval in ms when no job is known to wait. Without it, the worker polls only after {@link QueueWorker.wake}. */
  readonly pollMs?: number
  /** Interval in ms between extensions of leases, for jobs that may run longer than their lease. */
  readonly renewEveryMs?: number
  readonly prune?: {
    /** Delay in ms after the worker was opened, and between two runs. */
    readonly afterMs: number
    readonly everyMs: number
    /** @returns whether rows are left to prune, now or later. Otherwise the next run follows the next job that ends */
    readonly run: () => Promise<boolean>
  }
  /** Time in ms for jobs to finish when the worker closes, before they are aborted. Default 0. */
  readonly drainMs?: number
}

/**
 * Runs the jobs of a queue in the background. Any number of workers, in any number of servers, share a queue.
 */
export class QueueWorker<Job extends object> implements AsyncDisposable {
  readonly #options: WorkerOptions<Job>
  readonly #turns: LaneScheduler
  readonly #runs = new Set<Run>()
  #isServed: boolean | undefined
  /** The lane after which the next poll starts. */
  #cursor: Lane | undefined
  readonly #leases: LeaseRenewal
  #state: PollState = 'idle'
  /** Resolves when the worker is idle. */
  #looked: Promise<void> = Promise.resolve()
  /** Turns started so far. */
  #begun = 0
  #timer: NodeJS.Timeout | undefined
  #pruning: NodeJS.Timeout | undefined

  constructor(options: WorkerOptions<Job>) {
    this.#options = options
    this.#leases = new LeaseRenewal({ ...options, everyMs: options.renewEveryMs, runs: this.#runs })
    this.#turns = new LaneScheduler(options.slots, options.groupSlots ?? options.slots)
    this.#pruneAfter(options.prune?.afterMs)
  }

  /** Call when a job may be due. */
  wake(): void {
    if (this.#move('woken')) this.#looked = this.#lookUntilDone()
  }

  /** Resolves when each job that is due now has been tried once. */
  async settled(): Promise<void> {
    for (;;) {
      // A running poll may have started before the last job existed.
      await this.#looked
      const begun = this.#begun
      this.wake()
      await this.#looked
      if (this.#begun === begun && this.#runs.size === 0) return
      await this.#allRuns()
    }
  }

  async #lookUntilDone(): Promise<void> {
    const { name, logger, pollMs = WAIT_MAX_MS } = this.#options
    do {
      try {
        await this.#look()
      } catch (error) {
        logger.log('debug', `the queue of ${name} cannot be read yet: ${errorMessage(error)}`)
        this.#wakeAfter(Math.min(LOOK_AGAIN_MS, pollMs))
      }
    } while (this.#move('poll ended'))
  }

  /** @returns whether a poll starts now */
  #move(event: PollEvent): boolean {
    const { state, isBeginning } = transition(this.#state, event)
    this.#state = state
    return isBeginning
  }

  get #isClosed(): boolean {
    return this.#state === 'closed'
  }

  async #look(): Promise<void> {
    const { pool, queue, prepare, pollMs = Infinity } = this.#options
    if (!(await this.#mayServe())) return
    clearTimeout(this.#timer)
    const askedMs = performance.now()
    const prepareMs = (await prepare?.()) ?? Infinity
    await this.#leases.renew()
    // Before claims, so that a job that becomes due in between is either claimed now or counted here.
    const { nextMs, isDue } = await findWaiting(pool, queue)
    if (isDue && !this.#isClosed) await this.#claim()
    const waitingMs = Math.min(nextMs ?? Infinity, prepareMs)
    // A due job that could not be claimed is polled for later, because its row may have been locked.
    const knownMs = waitingMs < Infinity || isDue ? Math.min(waitingMs, WAIT_MAX_MS) : Infinity
    const nextLookMs = Math.min(knownMs, pollMs)
    if (nextLookMs < Infinity) this.#wakeAfter(nextLookMs - (performance.now() - askedMs))
  }

  async #mayServe(): Promise<boolean> {
    return (this.#isServed ??= (await this.#options.isServed?.()) ?? true)
  }

  /** Visits all lanes once, or until all slots are taken. */
  async #claim(): Promise<void> {
    const { pool, queue } = this.#options
    if (!queue.lanes) {
      if (this.#turns.free > 0) this.#begin(await claim<Job>(pool, queue, this.#turns.free))
      return
    }
    for (let rounds = this.#cursor ? 0 : 1; rounds < 2 && this.#turns.free > 0 && !this.#isClosed;) {
      const { due, next } = await listLanes(pool, queue, this.#cursor)
      const wanted = this.#turns.share(due)
      if (wanted.size > 0) this.#begin(await claim<Job>(pool, queue, wanted))
      this.#cursor = next
      if (!next) rounds++
    }
  }

  #begin(jobs: readonly (Job & Claimed)[]): void {
    const { batch = 1 } = this.#options.queue
    for (const own of Map.groupBy(jobs, ({ lane }) => JSON.stringify(lane)).values())
      for (let start = 0; start < own.length; start += batch) {
        const [first, ...others] = own.slice(start, start + batch)
        if (first) this.#beginTurn([first, ...others])
      }
  }

  #beginTurn(jobs: Batch<Job>): void {
    const { name, logger, run, prune } = this.#options
    const [{ lane }] = jobs
    this.#begun++
    this.#turns.begin(lane)
    const ending = new AbortController()
    const done = run(jobs, ending.signal)
      .catch((error: unknown) => {
        logger.log('warn', `a job of the queue of ${name} failed and is due again later`, {
          error: errorMessage(error),
        })
      })
      .finally(() => {
        this.#runs.delete(turn)
        this.#turns.end(lane)
        this.#pruneAfter(prune?.everyMs)
        this.wake()
      })
    const turn: Run = { jobs, ending, done }
    this.#runs.add(turn)
    this.#leases.begin()
  }

  async #allRuns(): Promise<void> {
    await Promise.all([...this.#runs].map(({ done }) => done))
  }

  #wakeAfter(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = setTimeout(() => this.wake(), Math.max(ms, WAIT_MIN_MS)).unref()
  }

  #pruneAfter(ms: number | undefined): void {
    if (ms !== undefined && !this.#pruning && !this.#isClosed)
      this.#pruning = setTimeout(() => void this.#prune(), ms).unref()
  }

  async #prune(): Promise<void> {
    const { name, logger, prune } = this.#options
    let isLeft = true
    try {
      isLeft = (await this.#mayServe()) && (await prune?.run()) === true
    } catch (error) {
      if (!this.#isClosed)
        logger.log('debug', `old rows of the queue of ${name} could not be deleted: ${errorMessage(error)}`)
    }
    this.#pruning = undefined
    if (isLeft) this.#pruneAfter(prune?.everyMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#move('closed')
    clearTimeout(this.#timer)
    clearTimeout(this.#pruning)
    this.#leases.stop()
    await this.#looked
    await this.#runsEndWithin(this.#options.drainMs ?? 0)
    abortRuns(this.#runs, 'server stopped')
    await this.#runsEndWithin(ABORTED_MS)
  }

  async #runsEndWithin(ms: number): Promise<void> {
    if (ms === 0 || this.#runs.size === 0) return
    const ended = new AbortController()
    // The timer would keep the process alive.
    const late = delay(ms, ended.signal).catch(() => undefined)
    await Promise.race([this.#allRuns(), late])
    ended.abort()
  }
}
