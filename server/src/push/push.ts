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
  /** Connected as the superuser or the configured user; used only for the queue. */
  readonly pool: Pool
  /** Connections for queries as users. */
  readonly share: PoolShare
  readonly catalog: CatalogWatch
  readonly claimsOf: ClaimsOf
  readonly post: PostMessage
  /** The part of the app's URLs that names the workspace. */
  readonly workspace: string
  readonly logger: Logger
}

interface SessionTurn {
  readonly userId: string
  readonly sessionId: string
  readonly devices: readonly PushDevice[]
  readonly events: readonly QueuedEvent[]
  /** Aborts the turn. */
  readonly signal: AbortSignal
}

/** Opens the worker that sends news to users' devices. It sends all pending events of a user together, one turn per user at a time. */
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

  /** Devices of one session have the same access. */
  async function serveSession(turn: SessionTurn): Promise<readonly (PushOutcome | 'nothing')[]> {
    const { userId, sessionId, devices, events, signal } = turn
    const claims = await claimsOf(userId, sessionId)
    if (!claims) {
      await Promise.all(devices.map((device) => forgetDevice(pool, device)))
      return ['nothing']
    }
    const news = await readNews(share.for({ userKey: userId, signal }), catalog.current(), claims, events)
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

/** Returns a message per event, or a single one with their number. The app's service worker adds the texts. */
function messagesOf(news: readonly News[], workspace: string): readonly string[] {
  if (news.length > SINGLE_MAX)
    return [JSON.stringify({ kind: 'several', count: news.length, path: `/w/${workspace}/inbox` })]
  return news.map(({ table, record, kind, ...rest }) => {
    const tab = kind === 'notice' ? '' : kind === 'assigned' ? '?tab=history' : '?tab=comments'
    const path =
      record === ''
        ? `/w/${workspace}/inbox`
        : `/w/${workspace}/t/${encodeURIComponent(table)}/r/${encodeURIComponent(record)}${tab}`
    return JSON.stringify({ kind, ...rest, path })
  })
}
