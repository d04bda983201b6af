import { backoffMs, type Clock, delay, errorMessage, type Logger } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import { type Claimed, QueueWorker, retrySql } from '@holdfast/queue'
import {
  CAPTURED_CLEAN_EACH,
  MESSAGE_ATTEMPTS_MAX,
  MESSAGE_BACKOFF_MS_MAX,
  MESSAGE_BACKOFF_MS_MIN,
  MESSAGE_CLEAN_AFTER_MS,
  MESSAGE_CLEAN_INTERVAL_MS,
  MESSAGE_DRAIN_MS,
  MESSAGE_LOOK_INTERVAL_MS,
  MESSAGES_SENDING_MAX,
} from '../limits.ts'
import {
  deleteOldMessages,
  type DueMessage,
  finishMessageSql,
  type MessageChannel,
  messageQueue,
} from './message-rows.ts'
import { type Sender, SendError } from './sender.ts'

/** A channel on which messages leave the server. */
export interface OutgoingChannel {
  readonly sender: Sender
  /** How long the code in a message is good; after that it is not worth sending. */
  readonly lifeMs: number
}

/** Sends what was written down, in the background. */
export interface Delivery extends AsyncDisposable {
  /** A transaction that is still open has written something. */
  wake(): void
  /** A transaction that is still open has written a message that is kept. */
  noteCaptured(): void
  /** Resolves when everything that is due now was tried once. */
  settled(): Promise<void>
}

/** After these waits, in milliseconds, a transaction that has written a message should have ended; else the next regular look finds it. */
const LOOKS_AFTER_MS = [20, 180, 800]

const LAST_ERROR_CHARS_MAX = 500

export interface DeliveryOptions {
  readonly pool: Pool
  readonly clock: Clock
  readonly logger: Logger
  /** The channels that are configured. */
  readonly channels: Readonly<Partial<Record<MessageChannel, OutgoingChannel>>>
}

/** Starts to send, and to delete old messages. Several processes may do so on one database. */
export function startDelivery(options: DeliveryOptions): Delivery {
  return new BackgroundDelivery(options)
}

class BackgroundDelivery implements Delivery {
  readonly #options: DeliveryOptions
  readonly #workers: readonly QueueWorker<DueMessage>[]
  readonly #closing = new AbortController()
  readonly #timers: readonly NodeJS.Timeout[]
  /** The series of looks that is under way. */
  #awake: Promise<void> | undefined
  #isWokenAgain = false
  /** Messages that were captured since old ones were deleted. */
  #captured = 0

  constructor(options: DeliveryOptions) {
    this.#options = options
    this.#workers = Object.entries(options.channels).map(([name, channel]) =>
      openChannel(options, name as MessageChannel, channel),
    )
    const clean = (): void => void this.#clean()
    this.#timers = [setTimeout(clean, MESSAGE_CLEAN_AFTER_MS), setInterval(clean, MESSAGE_CLEAN_INTERVAL_MS)]
    for (const timer of this.#timers) timer.unref()
    this.#wakeWorkers()
  }

  wake(): void {
    this.#isWokenAgain = true
    this.#awake ??= this.#stayAwake()
  }

  noteCaptured(): void {
    if (++this.#captured < CAPTURED_CLEAN_EACH) return
    this.#captured = 0
    void this.#clean()
  }

  async settled(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.settled()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    if (this.#closing.signal.aborted) return
    const closed = new AbortController()
    const deadline = delay(MESSAGE_DRAIN_MS, closed.signal).catch(() => undefined) // closed before the deadline
    await Promise.race([this.settled(), deadline])
    // A timer that runs keeps the process.
    closed.abort()
    this.#closing.abort(new Error('the service is closing'))
    for (const channel of Object.values(this.#options.channels)) channel.sender.close()
    await Promise.all([this.#awake, ...this.#workers.map((worker) => worker[Symbol.asyncDispose]())])
  }

  async #stayAwake(): Promise<void> {
    while (this.#isWokenAgain && !this.#closing.signal.aborted) {
      this.#isWokenAgain = false
      for (const ms of LOOKS_AFTER_MS) {
        await delay(ms, this.#closing.signal).catch(() => undefined)
        this.#wakeWorkers()
      }
    }
    this.#awake = undefined
  }

  #wakeWorkers(): void {
    for (const worker of this.#workers) worker.wake()
  }

  async #clean(): Promise<void> {
    const { pool, clock, logger } = this.#options
    await deleteOldMessages(pool, clock.now()).catch((error: unknown) => {
      // It is tried again in an hour.
      if (!this.#closing.signal.aborted)
        logger.log('warn', 'could not delete old messages', { error: errorMessage(error) })
    })
  }
}

function openChannel(
  { pool, clock, logger }: DeliveryOptions,
  name: MessageChannel,
  { sender, lifeMs }: OutgoingChannel,
): QueueWorker<DueMessage> {
  const queue = messageQueue(name, clock)
  return new QueueWorker<DueMessage>({
    name: `messages by ${name}`,
    pool,
    queue,
    logger,
    slots: MESSAGES_SENDING_MAX,
    pollMs: MESSAGE_LOOK_INTERVAL_MS,
    run: ([message]) => deliver(message),
  })

  async function deliver(message: DueMessage & Claimed): Promise<void> {
    const nowMs = clock.now()
    const finish = async (error?: string): Promise<void> => {
      await pool.execute(finishMessageSql(queue, { message, error, now: new Date(nowMs).toISOString() }))
    }
    // A security notification has no code, and is worth reading later as well.
    const isExpired = message.code !== null && message.created_at.getTime() + lifeMs <= nowMs
    if (isExpired) return finish('its code had expired before it could be sent')
    try {
      await sender.send(message)
    } catch (failure) {
      // Postgres keeps no NUL, and what is thrown may say what another server answered.
      const error = errorMessage(failure).slice(0, LAST_ERROR_CHARS_MAX).replaceAll('\0', '\uFFFD')
      const { attempts } = message
      const isFinal = failure instanceof SendError || attempts >= MESSAGE_ATTEMPTS_MAX
      logger.log(isFinal ? 'error' : 'warn', isFinal ? 'a message was not sent' : 'a message will be tried again', {
        messageId: message.id,
        channel: name,
        attempts,
        error,
      })
      if (isFinal) return finish(error)
      const waitMs = backoffMs(attempts - 1, MESSAGE_BACKOFF_MS_MIN, MESSAGE_BACKOFF_MS_MAX)
      await pool.execute(retrySql(queue, [message], waitMs, sql`last_error = ${error}`))
      return
    }
    await finish()
  }
}
