import { backoffMs, type Clock, delay, errorMessage, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import {
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
  /** Resolves when everything that is due now was tried once. */
  settled(): Promise<void>
}

/** After these waits, in milliseconds, a transaction that has written a message should have ended; else the next regular look finds it. */
const LOOKS_AFTER_MS = [20, 180, 800]

const LAST_ERROR_CHARS_MAX = 500

/** Starts to send, with `channels` that are configured; and to delete what is old. Several processes may do so on one database. */
export function startDelivery(input: {
  readonly pool: Pool
  readonly clock: Clock
  readonly logger: Logger
  readonly channels: Readonly<Partial<Record<MessageChannel, OutgoingChannel>>>
}): Delivery {
  const { pool, clock, logger, channels } = input
  const names = Object.keys(channels) as MessageChannel[]
  const closing = new AbortController()
  let looking: Promise<void> | undefined
  let awake: Promise<void> | undefined
  let isWokenAgain = false

  const cleanSoon = (): void => void tryTo('delete old messages', clean)
  const timers = [setTimeout(cleanSoon, MESSAGE_CLEAN_AFTER_MS), setInterval(cleanSoon, MESSAGE_CLEAN_INTERVAL_MS)]
  if (names.length > 0) timers.push(setInterval(() => void tryTo('look for messages', look), MESSAGE_LOOK_INTERVAL_MS))
  for (const timer of timers) timer.unref()

  return {
    wake() {
      isWokenAgain = true
      awake ??= stayAwake().finally(() => (awake = undefined))
    },
    async settled() {
      if (names.length > 0) await lookOnceMore()
    },
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer)
      if (closing.signal.aborted) return
      const closed = new AbortController()
      const deadline = delay(MESSAGE_DRAIN_MS, closed.signal).catch(() => undefined) // closed before the deadline
      if (names.length > 0) await Promise.race([tryTo('send the last messages', lookOnceMore), deadline])
      closing.abort(new Error('the service is closing'))
      for (const channel of Object.values(channels)) channel.sender.close()
      await Promise.race([Promise.all([awake, looking?.catch(() => undefined)]), deadline])
      // A timer that runs keeps the process.
      closed.abort()
    },
  }

  /** A look that is under way may have begun before the last message was there. */
  async function lookOnceMore(): Promise<void> {
    await looking
    await look()
  }

  async function stayAwake(): Promise<void> {
    while (isWokenAgain && !closing.signal.aborted) {
      isWokenAgain = false
      for (const ms of LOOKS_AFTER_MS) {
        await delay(ms, closing.signal).catch(() => undefined)
        if (closing.signal.aborted) return
        await tryTo('look for messages', look)
      }
    }
  }

  function look(): Promise<void> {
    looking ??= sendAllDue().finally(() => (looking = undefined))
    return looking
  }

  async function sendAllDue(): Promise<void> {
    while (!closing.signal.aborted) {
      const due = await claimDueMessages(pool, {
        channels: names,
        limit: MESSAGES_SENDING_MAX,
        nowMs: clock.now(),
      })
      if (due.length === 0) return
      await Promise.all(due.map(deliver))
    }
  }

  async function deliver(message: DueMessage): Promise<void> {
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
      (error: unknown) => error ?? new Error('nothing was said'),
    )
    if (failure === undefined) {
      await finishMessage(pool, { message, error: undefined, now })
      return
    }
    const error = errorMessage(failure).slice(0, LAST_ERROR_CHARS_MAX)
    const isFinal = failure instanceof SendError || message.attempts >= MESSAGE_ATTEMPTS_MAX
    logger.log(isFinal ? 'error' : 'warn', isFinal ? 'a message was not sent' : 'a message will be tried again', {
      messageId: message.id,
      channel: message.channel,
      attempts: message.attempts,
      error,
    })
    if (isFinal) {
      await finishMessage(pool, { message, error, now })
      return
    }
    const waitMs = backoffMs(message.attempts - 1, MESSAGE_BACKOFF_MS_MIN, MESSAGE_BACKOFF_MS_MAX)
    await postponeMessage(pool, { id: message.id, error, at: new Date(nowMs + waitMs).toISOString() })
  }

  async function clean(): Promise<void> {
    await deleteOldMessages(pool, clock.now())
  }

  /** The database may be away for a while; the next look is not far. */
  async function tryTo(what: string, body: () => Promise<void>): Promise<void> {
    await body().catch((error: unknown) => {
      if (!closing.signal.aborted) logger.log('warn', `could not ${what}`, { error: errorMessage(error) })
    })
  }
}
