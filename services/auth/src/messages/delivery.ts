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

/** A channel that sends messages. */
export interface OutgoingChannel {
  readonly sender: Sender
  /** Lifetime of the code in a message, in ms. Later, the message is not worth sending. */
  readonly lifeMs: number
}

/** Sends queued messages in the background. */
export interface Delivery extends AsyncDisposable {
  /** Signals that an open transaction has queued a message. */
  wake(): void
  /** Signals that an open transaction has captured a message. */
  noteCaptured(): void
  /** Resolves once every due message was tried. */
  settled(): Promise<void>
}

/** Delays in ms after which a transaction that wrote a message should have ended; otherwise the next regular poll finds it. */
const LOOKS_AFTER_MS = [20, 180, 800]

const LAST_ERROR_CHARS_MAX = 500

export interface DeliveryOptions {
  readonly pool: Pool
  readonly clock: Clock
  readonly logger: Logger
  /** The configured channels. */
  readonly channels: Readonly<Partial<Record<MessageChannel, OutgoingChannel>>>
}

/** Starts sending messages and deleting old ones. Several processes may do so on one database. */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { pool, clock, logger, channels } = options
  const closing = new AbortController()
  const workers = Object.entries(channels).map(([name, channel]) =>
    openChannel(options, name as MessageChannel, channel),
  )
  const wakeWorkers = (): void => workers.forEach((worker) => worker.wake())
  const timers = [setTimeout(clean, MESSAGE_CLEAN_AFTER_MS), setInterval(clean, MESSAGE_CLEAN_INTERVAL_MS)]
  for (const timer of timers) timer.unref()
  /** The current series of polls. */
  let awake: Promise<void> | undefined
  let isWokenAgain = false
  /** Messages captured since the last cleanup. */
  let captured = 0
  wakeWorkers()
  return {
    wake() {
      isWokenAgain = true
      awake ??= stayAwake()
    },
    noteCaptured() {
      captured = (captured + 1) % CAPTURED_CLEAN_EACH
      if (captured === 0) clean()
    },
    settled,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer)
      if (closing.signal.aborted) return
      const closed = new AbortController()
      const deadline = delay(MESSAGE_DRAIN_MS, closed.signal).catch(() => undefined) // closed before the deadline
      await Promise.race([settled(), deadline])
      // A pending timer would keep the process alive.
      closed.abort()
      closing.abort(new Error('the service is closing'))
      for (const channel of Object.values(channels)) channel.sender.close()
      await Promise.all([awake, ...workers.map((worker) => worker[Symbol.asyncDispose]())])
    },
  }

  async function settled(): Promise<void> {
    await Promise.all(workers.map((worker) => worker.settled()))
  }

  async function stayAwake(): Promise<void> {
    while (isWokenAgain && !closing.signal.aborted) {
      isWokenAgain = false
      for (const ms of LOOKS_AFTER_MS) {
        await delay(ms, closing.signal).catch(() => undefined)
        wakeWorkers()
      }
    }
    awake = undefined
  }

  function clean(): void {
    deleteOldMessages(pool, clock.now()).catch((error: unknown) => {
      // The cleanup is retried in an hour.
      if (!closing.signal.aborted) logger.log('warn', 'could not delete old messages', { error: errorMessage(error) })
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
    // A security notification has no code and is still worth reading later.
    const isExpired = message.code !== null && message.created_at.getTime() + lifeMs <= nowMs
    if (isExpired) return finish('its code had expired before it could be sent')
    try {
      await sender.send(message)
    } catch (failure) {
      // The error may quote another server's reply, and Postgres cannot store NUL.
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
