import { errorMessage, type Logger } from '@holdfast/foundation'
import type { CatalogWatch, Pool, PoolShare } from '@holdfast/postgres'
import { type Batch, QueueWorker, retrySql } from '@holdfast/queue'
import { ATTEMPTS_MAX, PEOPLE_MAX, PRUNE_EVERY_MS, RETRY_MS, SINGLE_MAX, TURN_MS } from './limits.ts'
import type { PostMessage, PushOutcome } from './post-message.ts'
import {
  finish,
  forgetDevice,
  listDevices,
  noteOutcome,
  prune,
  PUSH_QUEUE,
  type PushDevice,
  type QueuedEvent,
} from './queue.ts'
import { readNews, type News } from './read-news.ts'

/** Returns a session's current claims; `undefined` if it has ended. */
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

/** Opens the worker that sends news to the devices of the person that it is for: what waits for a person together, and one turn of them at a time. */
export function openPushWorker(options: OpenPushOptions): QueueWorker<QueuedEvent> {
  const { pool, share, catalog, claimsOf, post, workspace, logger } = options
  return new QueueWorker<QueuedEvent>({
    name: 'notifications',
    pool,
    queue: PUSH_QUEUE,
    logger,
    slots: PEOPLE_MAX,
    groupSlots: 1,
    run: (events, signal) => serve(events, AbortSignal.any([signal, AbortSignal.timeout(TURN_MS)])),
    prune: { afterMs: PRUNE_EVERY_MS, everyMs: PRUNE_EVERY_MS, run: () => prune(pool) },
  })

  async function serve(events: Batch<QueuedEvent>, signal: AbortSignal): Promise<void> {
    const [{ userId }] = events
    const devices = await listDevices(pool, userId)
    const outcomes: (PushOutcome | 'nothing')[] = []
    for (const [sessionId, own] of Map.groupBy(devices, (device) => device.sessionId)) {
      try {
        outcomes.push(...(await serveSession({ userId, sessionId, devices: own, events, signal })))
      } catch (error) {
        // A session's visibility could not be determined; other sessions' devices were served, once.
        logger.log('warn', 'notifications of a session were not sent', { error: errorMessage(error) })
        outcomes.push('failed')
      }
    }
    const attempts = Math.max(...events.map((event) => event.attempts))
    const isDone = !outcomes.includes('failed') || outcomes.includes('taken') || attempts >= ATTEMPTS_MAX
    const retryMs = RETRY_MS[Math.min(attempts, RETRY_MS.length) - 1]
    if (isDone || retryMs === undefined) await finish(pool, events)
    else await pool.execute(retrySql(PUSH_QUEUE, events, retryMs))
  }

  /** Devices of one session may see the same. */
  async function serveSession(turn: SessionTurn): Promise<readonly (PushOutcome | 'nothing')[]> {
    const { userId, sessionId, devices, events, signal } = turn
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
