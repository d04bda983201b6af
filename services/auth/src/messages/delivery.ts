import { backoffMs, type Clock, delay, errorMessage, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
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
  claimDueMessages,
  deleteOldMessages,
  type DueMessage,
  finishMessage,
  type MessageChannel,
  postponeMessage,
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
  readonly #queues: readonly ChannelQueue[]
  readonly #closing = new AbortController()
  readonly #timers: readonly NodeJS.Timeout[]
  /** Messages that were captured since old ones were deleted. */
  #captured = 0

  constructor(options: DeliveryOptions) {
    this.#options = options
    const names = Object.keys(options.channels) as MessageChannel[]
    this.#queues = names.map((name) => new ChannelQueue(options, name, this.#closing.signal))
    const clean = (): void => void this.#clean()
    this.#timers = [
      setTimeout(clean, MESSAGE_CLEAN_AFTER_MS),
      setInterval(clean, MESSAGE_CLEAN_INTERVAL_MS),
      ...this.#queues.map((queue) => setInterval(() => void queue.tryToLook(), MESSAGE_LOOK_INTERVAL_MS)),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  wake(): void {
    for (const queue of this.#queues) queue.wake()
  }

  noteCaptured(): void {
    if (++this.#captured < CAPTURED_CLEAN_EACH) return
    this.#captured = 0
    void this.#clean()
  }

  async settled(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.lookOnceMore()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    if (this.#closing.signal.aborted) return
    const closed = new AbortController()
    const deadline = delay(MESSAGE_DRAIN_MS, closed.signal).catch(() => undefined) // closed before the deadline
    const sendLast = tryTo(this.#options, this.#closing.signal, 'send the last messages', () => this.settled())
    await Promise.race([sendLast, deadline])
    this.#closing.abort(new Error('the service is closing'))
    for (const channel of Object.values(this.#options.channels)) channel.sender.close()
    await Promise.race([Promise.all(this.#queues.map((queue) => queue.idle())), deadline])
    // A timer that runs keeps the process.
    closed.abort()
  }

  async #clean(): Promise<void> {
    const { pool, clock } = this.#options
    await tryTo(this.#options, this.#closing.signal, 'delete old messages', async () => {
      await deleteOldMessages(pool, clock.now())
    })
  }
}

/** What waits on one channel: a mail server that says nothing delays no text message. */
class ChannelQueue {
  readonly #options: DeliveryOptions
  readonly #name: MessageChannel
  readonly #closing: AbortSignal
  /** The look that is under way. */
  #looking: Promise<void> | undefined
  /** The series of looks that is under way. */
  #awake: Promise<void> | undefined
  #isWokenAgain = false

  constructor(options: DeliveryOptions, name: MessageChannel, closing: AbortSignal) {
    this.#options = options
    this.#name = name
    this.#closing = closing
  }

  wake(): void {
    this.#isWokenAgain = true
    this.#awake ??= this.#stayAwake().finally(() => (this.#awake = undefined))
  }

  async tryToLook(): Promise<void> {
    await tryTo(this.#options, this.#closing, 'look for messages', () => this.#look())
  }

  /** A look that is under way may have begun before the last message was there. */
  async lookOnceMore(): Promise<void> {
    await this.#looking
    await this.#look()
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await Promise.all([this.#awake, this.#looking?.catch(() => undefined)])
  }

  async #stayAwake(): Promise<void> {
    while (this.#isWokenAgain && !this.#closing.aborted) {
      this.#isWokenAgain = false
      for (const ms of LOOKS_AFTER_MS) {
        await delay(ms, this.#closing).catch(() => undefined)
        if (this.#closing.aborted) return
        await this.tryToLook()
      }
    }
  }

  #look(): Promise<void> {
    this.#looking ??= this.#sendAllDue().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  async #sendAllDue(): Promise<void> {
    const { pool, clock } = this.#options
    while (!this.#closing.aborted) {
      const claim = { channel: this.#name, limit: MESSAGES_SENDING_MAX, nowMs: clock.now() }
      const due = await claimDueMessages(pool, claim)
      if (due.length === 0) return
      await Promise.all(due.map((message) => deliver(this.#options, message)))
    }
  }
}

/** The database may be away for a while; the next look is not far. */
async function tryTo(
  { logger }: DeliveryOptions,
  closing: AbortSignal,
  what: string,
  body: () => Promise<void>,
): Promise<void> {
  await body().catch((error: unknown) => {
    if (closing.aborted) return
    logger.log('warn', `could not ${what}`, { error: errorMessage(error) })
  })
}

async function deliver(options: DeliveryOptions, message: DueMessage): Promise<void> {
  const { pool, clock, channels } = options
  const channel = channels[message.channel]
  if (!channel) return
  const nowMs = clock.now()
  const now = new Date(nowMs).toISOString()
  // A security notification has no code, and is worth reading later as well.
  const isExpired = message.code !== null && message.created_at.getTime() + channel.lifeMs <= nowMs
  if (isExpired) {
    await finishMessage(pool, { message, error: 'its code had expired before it could be sent', now })
    return
  }
  const failure = await channel.sender.send(message).then(
    () => undefined,
    (error: unknown) => error ?? new Error('rejected without a reason'),
  )
  if (failure === undefined) await finishMessage(pool, { message, error: undefined, now })
  else await noteFailure(options, message, failure, nowMs)
}

async function noteFailure(
  { pool, logger }: DeliveryOptions,
  message: DueMessage,
  failure: unknown,
  nowMs: number,
): Promise<void> {
  // Postgres keeps no NUL, and what is thrown may say what another server answered.
  const error = errorMessage(failure).slice(0, LAST_ERROR_CHARS_MAX).replaceAll('\0', '\uFFFD')
  const isFinal = failure instanceof SendError || message.attempts >= MESSAGE_ATTEMPTS_MAX
  logger.log(isFinal ? 'error' : 'warn', isFinal ? 'a message was not sent' : 'a message will be tried again', {
    messageId: message.id,
    channel: message.channel,
    attempts: message.attempts,
    error,
  })
  if (isFinal) {
    await finishMessage(pool, { message, error, now: new Date(nowMs).toISOString() })
    return
  }
  const waitMs = backoffMs(message.attempts - 1, MESSAGE_BACKOFF_MS_MIN, MESSAGE_BACKOFF_MS_MAX)
  await postponeMessage(pool, { id: message.id, error, at: new Date(nowMs + waitMs).toISOString() })
}
