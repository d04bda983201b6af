import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import type { CatalogWatch, Pool, PoolShare } from '@holdfast/postgres'
import {
  ATTEMPTS_MAX,
  LOOK_AGAIN_MS,
  LOOK_MS,
  PEOPLE_MAX,
  RETRY_MS,
  SINGLE_MAX,
  STOPPING_MS,
  TURN_MS,
} from './limits.ts'
import type { PostMessage, PushOutcome } from './post-message.ts'
import {
  claim,
  finish,
  forgetDevice,
  listDevices,
  nextDueMs,
  noteOutcome,
  postpone,
  prune,
  type PushDevice,
  type QueuedEvent,
} from './queue.ts'
import { readNews, type News } from './read-news.ts'

/** What a person's session is worth now. `undefined`: it has ended. */
export type ClaimsOf = (userId: string, sessionId: string) => Promise<Readonly<Record<string, unknown>> | undefined>

export interface OpenPushOptions {
  /** Connected as the superuser, or as the configured user: for the queue only. */
  readonly pool: Pool
  /** Connections on which what a person may see is asked. */
  readonly share: PoolShare
  readonly catalog: CatalogWatch
  readonly claimsOf: ClaimsOf
  readonly post: PostMessage
  /** The part of the app's addresses that names the workspace. */
  readonly workspace: string
  readonly logger: Logger
}

interface SessionTurn {
  readonly userId: string
  readonly sessionId: string
  readonly devices: readonly PushDevice[]
  readonly events: readonly QueuedEvent[]
  /** Ends the turn. */
  readonly signal: AbortSignal
}

/**
 * Sends what is in the queue of notifications to the devices of whom it is for. Any number of servers of one database share the queue. One person has one turn
 * at a time, and what waits for them is sent together.
 */
export class Push implements AsyncDisposable {
  readonly #options: OpenPushOptions
  readonly #stopping = new AbortController()
  readonly #serving = new Map<string, Promise<void>>()
  #looking: Promise<void> | undefined
  #isDue = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: OpenPushOptions) {
    this.#options = options
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#stopping.signal.aborted) return
    this.#isDue = true
    this.#looking ??= this.#lookUntilDone().finally(() => (this.#looking = undefined))
  }

  async #lookUntilDone(): Promise<void> {
    const { pool, logger } = this.#options
    while (this.#isDue && !this.#stopping.signal.aborted) {
      this.#isDue = false
      try {
        const free = PEOPLE_MAX - this.#serving.size
        if (free <= 0) return
        this.#begin(await claim(pool, [...this.#serving.keys()], free))
        const dueInMs = await nextDueMs(pool, [...this.#serving.keys()])
        if (dueInMs === undefined) continue
        await prune(pool)
        this.#wakeAfter(Math.min(dueInMs, LOOK_MS))
      } catch (error) {
        logger.log('debug', `the queue of notifications cannot be read yet: ${errorMessage(error)}`)
        this.#wakeAfter(LOOK_AGAIN_MS)
      }
    }
  }

  #begin(events: readonly QueuedEvent[]): void {
    for (const [userId, own] of Map.groupBy(events, (event) => event.userId)) {
      const serving = this.#serve(userId, own)
        .catch((error: unknown) => {
          // What was claimed is claimed again when its time is over.
          this.#options.logger.log('warn', 'notifications of a person were not sent', { error: errorMessage(error) })
        })
        .finally(() => {
          this.#serving.delete(userId)
          this.wake()
        })
      this.#serving.set(userId, serving)
    }
  }

  async #serve(userId: string, events: readonly QueuedEvent[]): Promise<void> {
    const { pool, logger } = this.#options
    const devices = await listDevices(pool, userId)
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(TURN_MS)])
    const outcomes: (PushOutcome | 'nothing')[] = []
    for (const [sessionId, own] of Map.groupBy(devices, (device) => device.sessionId)) {
      try {
        outcomes.push(...(await this.#serveSession({ userId, sessionId, devices: own, events, signal })))
      } catch (error) {
        // What one session may see could not be asked: devices of the others have theirs, once.
        logger.log('warn', 'notifications of a session were not sent', { error: errorMessage(error) })
        outcomes.push('failed')
      }
    }
    const ids = events.map(({ id }) => id)
    const attempts = Math.max(...events.map((event) => event.attempts))
    const isDone = !outcomes.includes('failed') || outcomes.includes('taken') || attempts >= ATTEMPTS_MAX
    if (isDone) await finish(pool, ids)
    else await postpone(pool, ids, RETRY_MS[Math.min(attempts, RETRY_MS.length) - 1] ?? LOOK_MS)
  }

  /** Devices of one session may see the same. */
  async #serveSession({
    userId,
    sessionId,
    devices,
    events,
    signal,
  }: SessionTurn): Promise<readonly (PushOutcome | 'nothing')[]> {
    const { pool, share, catalog, claimsOf, post, workspace } = this.#options
    const claims = await claimsOf(userId, sessionId)
    if (!claims) {
      await Promise.all(devices.map((device) => forgetDevice(pool, device)))
      return ['nothing']
    }
    const news = await readNews(share.for({ person: userId, signal }), catalog.current(), claims, events)
    if (news.length === 0) return ['nothing']
    const messages = messagesOf(news, workspace)
    return Promise.all(
      devices.map(async (device) => {
        let outcome: PushOutcome = 'taken'
        for (const message of messages) {
          outcome = await post(device, message, signal)
          if (outcome !== 'taken') break
        }
        if (outcome === 'gone') await forgetDevice(pool, device)
        else if (!signal.aborted) await noteOutcome(pool, device, outcome === 'taken')
        return outcome
      }),
    )
  }

  #wakeAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), Math.max(ms, 1))
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('stopped'))
    clearTimeout(this.#timer)
    await this.#looking
    clearTimeout(this.#timer)
    // The timer would keep the process.
    const served = new AbortController()
    const late = delay(STOPPING_MS, served.signal).catch(() => undefined)
    await Promise.race([Promise.all(this.#serving.values()).finally(() => served.abort()), late])
  }
}

/** A message for each, or one that says how many there are. Words are those of the app: its service worker has them. */
function messagesOf(news: readonly News[], workspace: string): readonly string[] {
  if (news.length > SINGLE_MAX)
    return [JSON.stringify({ kind: 'several', count: news.length, path: `/w/${workspace}/inbox` })]
  return news.map(({ table, record, kind, ...rest }) => {
    const tab = kind === 'assigned' ? 'history' : 'comments'
    const path = `/w/${workspace}/t/${encodeURIComponent(table)}/r/${encodeURIComponent(record)}?tab=${tab}`
    return JSON.stringify({ kind, ...rest, path })
  })
}
