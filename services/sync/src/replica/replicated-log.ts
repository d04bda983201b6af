import { backoffMs, delay, errorMessage, type Logger } from '@holdfast/foundation'
import { isLogReadFailure } from '../storage/log-read-failure.ts'
import type { LogReader, OpsSlice, ReadOpsInput } from '../storage/log-reader.ts'
import { REPLICA_CHECK_MS, REPLICA_RETRY_MS, REPLICA_SETTLED_MS } from './limits.ts'
import type { LogPosition } from './log-position.ts'
import type { Replica } from './replica.ts'

/** Use of the replica, for operators. */
export interface ReplicaStatus {
  /** Whether operations are read from it. */
  readonly used: boolean
  /** Seconds that it took to have everything at the last look; while it cannot be used, seconds since it last had everything. */
  readonly lagSeconds: number
  /** Why it is not used. */
  readonly problem: string | undefined
  /** Reads since the start, by where the operations came from. */
  readonly reads: { readonly replica: number; readonly primary: number }
}

export interface ReplicatedLogOptions {
  readonly primary: LogReader
  readonly replica: Pick<Replica, 'read' | 'reach' | typeof Symbol.asyncDispose>
  /** Reads the position of the primary. */
  readonly readPosition: () => Promise<LogPosition | undefined>
  readonly logger: Logger
}

/**
 * Reads operations from a replica, and from the primary while the replica is behind or unavailable. A read sees everything that was committed when it was
 * requested, as on the primary, so callers need not know which of the two answered.
 */
export class ReplicatedLog implements LogReader {
  readonly #options: ReplicatedLogOptions
  readonly #stopping = new AbortController()
  readonly #watching: Promise<void>
  readonly #reads = { replica: 0, primary: 0 }
  #problem: string | undefined = 'It is being checked.'
  /** Ends the reads that wait for the replica when it fails. */
  #using = new AbortController()
  #hasReported = false
  /** Failures in a row, by which the next attempt is delayed. */
  #failures = 0
  #retryAtMs = 0
  #usedSinceMs = 0
  /** When the replica last had everything, and how long that took. */
  #whole = { atMs: performance.now(), waitedMs: 0 }

  constructor(options: ReplicatedLogOptions) {
    this.#options = options
    this.#watching = this.#watch()
  }

  status(): ReplicaStatus {
    const { atMs, waitedMs } = this.#whole
    return {
      used: this.#problem === undefined,
      lagSeconds: Math.round(this.#problem === undefined ? waitedMs : performance.now() - atMs) / 1_000,
      problem: this.#problem,
      reads: { ...this.#reads },
    }
  }

  async read(input: ReadOpsInput): Promise<OpsSlice[]> {
    const { primary, readPosition } = this.#options
    const slices = this.#problem === undefined ? await this.#readReplica(input, await readPosition()) : undefined
    if (slices) return slices
    this.#reads.primary++
    return await primary.read(input)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('the log is closed'))
    await this.#watching
    await this.#options.replica[Symbol.asyncDispose]()
    await this.#options.primary[Symbol.asyncDispose]()
  }

  async #readReplica(input: ReadOpsInput, position: LogPosition | undefined): Promise<OpsSlice[] | undefined> {
    if (!position) return undefined
    try {
      const slices = await this.#options.replica.read(input, position, this.#using.signal)
      this.#reads.replica++
      return slices
    } catch (error) {
      this.#avoid(error)
      return undefined
    }
  }

  /** Measures the lag, and tries a replica again that could not be used. */
  async #watch(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await this.#check()
      const pauseMs = this.#problem === undefined ? REPLICA_CHECK_MS : this.#retryAtMs - performance.now()
      await delay(Math.max(0, pauseMs), signal).catch(() => undefined) // stopping ends the loop
    }
  }

  async #check(): Promise<void> {
    if (this.#problem !== undefined && performance.now() < this.#retryAtMs) return
    const position = await this.#options.readPosition().catch(() => undefined) // the primary's outage is reported elsewhere
    if (!position) {
      this.#retryAtMs = performance.now() + REPLICA_RETRY_MS.min
      return
    }
    const atMs = performance.now()
    try {
      this.#whole = { atMs, waitedMs: await this.#options.replica.reach(position) }
    } catch (error) {
      this.#avoid(error)
      return
    }
    this.#use()
  }

  #use(): void {
    const nowMs = performance.now()
    if (this.#problem === undefined) {
      if (nowMs - this.#usedSinceMs > REPLICA_SETTLED_MS) this.#failures = 0
      return
    }
    this.#problem = undefined
    this.#using = new AbortController()
    this.#usedSinceMs = nowMs
    this.#hasReported = false
    this.#options.logger.log('info', 'the operation log is read from the replica')
  }

  /** Reads from the primary until a later check finds the replica usable. */
  #avoid(error: unknown): void {
    if (this.#stopping.signal.aborted) return
    if (this.#problem !== undefined && performance.now() < this.#retryAtMs) return // concurrent reads fail together
    this.#problem = isLogReadFailure(error) ? `It cannot be reached: ${errorMessage(error)}` : errorMessage(error)
    this.#retryAtMs = performance.now() + backoffMs(this.#failures++, REPLICA_RETRY_MS.min, REPLICA_RETRY_MS.max)
    this.#using.abort(new Error('the replica cannot be used'))
    if (this.#hasReported) return
    this.#hasReported = true
    this.#options.logger.log('warn', 'the operation log is read from the primary, because the replica cannot be used', {
      reason: this.#problem,
    })
  }
}
