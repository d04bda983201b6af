import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import {
  DRAIN_MS,
  LOOK_AGAIN_MS,
  MEASURE_EVERY_MS,
  MEASURE_REST,
  PRUNE_EVERY_MS,
  PRUNE_ROWS,
  RETRY_FACTOR,
  RETRY_FIRST_MS,
  RETRY_LONGEST_MS,
  WAITING_BYTES_MAX,
} from './limits.ts'
import type { WebhooksOptions } from './options.ts'
import { claim, isOurs, listLanes, measure, nextDueMs, prune, record, type Claimed, type Lane } from './queue.ts'
import type { Reach } from './reach.ts'
import { createSend, type Outcome, type Send } from './send.ts'
import { Turns } from './turns.ts'

export interface OpenWebhooksOptions {
  /** Connected as the superuser, or as the configured user. */
  readonly pool: Pool
  readonly reach: Reach
  readonly options: WebhooksOptions
  readonly logger: Logger
}

/** Statuses of receivers that are not there at the moment. */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Sends what is in the queue of the database, at least once, several at a time. Any number of servers of one database share the queue.
 *
 * Tables and roles have turns ({@link Turns}). One that has too much waiting is refused more, by a note in the database that each call looks at.
 */
export class Webhooks implements AsyncDisposable {
  readonly #pool: Pool
  readonly #options: WebhooksOptions
  readonly #logger: Logger
  readonly #send: Send
  readonly #stopping = new AbortController()
  readonly #turns: Turns
  readonly #sending = new Set<Promise<void>>()
  #isOurs: boolean | undefined
  /** Where the next look at the queue begins. */
  #cursor: Lane | undefined
  /** By `performance.now()`. */
  #measureAtMs = 0
  #looking: Promise<void> | undefined
  #isDue = false
  #isClosing = false
  #timer: NodeJS.Timeout | undefined
  #pruning: NodeJS.Timeout | undefined

  constructor({ pool, reach, options, logger }: OpenWebhooksOptions) {
    this.#pool = pool
    this.#options = options
    this.#logger = logger
    this.#send = createSend(reach)
    this.#turns = new Turns(options.webhooksConnectionsMax)
    this.#schedulePruning(LOOK_AGAIN_MS)
  }

  /** There may be something to send. */
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
        this.#logger.log('debug', `the queue of webhooks cannot be read yet: ${errorMessage(error)}`)
        this.#wakeAfter(LOOK_AGAIN_MS)
      }
    }
  }

  /** Goes once round all lanes, or until all connections are in use. */
  async #look(): Promise<void> {
    this.#isOurs ??= await isOurs(this.#pool)
    if (!this.#isOurs) return
    clearTimeout(this.#timer)
    const measureInMs = await this.#measure()
    const askedMs = performance.now()
    // Before requests are begun: one that becomes due meanwhile is begun now or counted here, never missed by both.
    const dueInMs = this.#options.webhooksEnabled ? await nextDueMs(this.#pool) : undefined
    if (this.#options.webhooksEnabled) await this.#beginWhatIsDue()
    const next = Math.min((dueInMs ?? Infinity) - (performance.now() - askedMs), measureInMs ?? Infinity)
    if (next !== Infinity) this.#wakeAfter(next)
  }

  async #beginWhatIsDue(): Promise<void> {
    for (let rounds = this.#cursor ? 0 : 1; rounds < 2 && this.#turns.free > 0;) {
      const { due, next } = await listLanes(this.#pool, this.#cursor)
      const wanted = this.#turns.share(due)
      if (wanted.size > 0) for (const request of await claim(this.#pool, wanted)) this.#begin(request)
      this.#cursor = next
      if (!next) rounds++
    }
  }

  /** @returns after how many milliseconds it is to be measured, when it was measured a moment ago */
  async #measure(): Promise<number | undefined> {
    const startMs = performance.now()
    if (startMs < this.#measureAtMs) return this.#measureAtMs - startMs
    const full = await measure(this.#pool, { requests: this.#options.webhooksWaitingMax, bytes: WAITING_BYTES_MAX })
    const endMs = performance.now()
    this.#measureAtMs = endMs + Math.max(MEASURE_EVERY_MS, (endMs - startMs) * MEASURE_REST)
    if (full.length > 0)
      this.#logger.log('warn', 'webhooks are refused: too many wait to be sent. net.holdfast_full says how many', {
        of: full.join(', '),
      })
    return undefined
  }

  #begin(request: Claimed): void {
    this.#turns.begin(request)
    const sending = this.#deliver(request).finally(() => {
      this.#sending.delete(sending)
      this.#turns.end(request)
      this.wake()
    })
    this.#sending.add(sending)
  }

  async #deliver(request: Claimed): Promise<void> {
    const outcome = await this.#send(request, this.#stopping.signal)
    // Its time runs out in the database, and it is sent again.
    if (this.#stopping.signal.aborted && outcome.kind === 'failed') return
    const retryMs = this.#retryMs(request, outcome)
    if (retryMs === undefined && outcome.kind === 'failed')
      this.#logger.log('warn', 'a webhook was given up: net._http_response says why', {
        id: request.id,
        attempts: request.attempt,
      })
    try {
      await record(this.#pool, request, outcome, retryMs)
      this.#schedulePruning(PRUNE_EVERY_MS)
    } catch (error) {
      this.#logger.log('warn', 'what came of a webhook could not be recorded: it is sent again', {
        id: request.id,
        error: errorMessage(error),
      })
    }
  }

  #retryMs({ attempt }: Claimed, outcome: Outcome): number | undefined {
    const isDone = outcome.kind === 'answered' ? !RETRIED_STATUSES.has(outcome.status) : outcome.isFinal
    if (isDone || attempt >= this.#options.webhooksAttemptsMax) return undefined
    return Math.min(RETRY_FIRST_MS * RETRY_FACTOR ** (attempt - 1), RETRY_LONGEST_MS)
  }

  #wakeAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, 1), 86_400_000))
    this.#timer.unref()
  }

  #schedulePruning(ms: number): void {
    if (this.#pruning || this.#isClosing) return
    this.#pruning = setTimeout(() => void this.#prune(), ms)
    this.#pruning.unref()
  }

  async #prune(): Promise<void> {
    let isLeft = true
    try {
      this.#isOurs ??= await isOurs(this.#pool)
      isLeft = this.#isOurs && (await prune(this.#pool, this.#options.webhooksResponsesKeptHours, PRUNE_ROWS))
    } catch (error) {
      this.#logger.log('debug', `old responses of webhooks could not be deleted: ${errorMessage(error)}`)
    }
    this.#pruning = undefined
    if (isLeft) this.#schedulePruning(PRUNE_EVERY_MS)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#pruning)
    await this.#looking
    clearTimeout(this.#timer)
    const drained = setTimeout(() => this.#stopping.abort(new Error('stopped')), DRAIN_MS)
    await Promise.all(this.#sending)
    clearTimeout(drained)
  }
}
