import type { AuthService } from '@holdfast/auth'
import type { Logger } from '@holdfast/foundation'
import type { CatalogWatch, Pool, PoolShare } from '@holdfast/postgres'
import { type Claimed, QueueWorker } from '@holdfast/queue'
import { LOOK_MS, PEOPLE_AT_ONCE } from './limits.ts'
import { beginDay, countRefused, DIGEST_QUEUE, type DuePerson, finishDay } from './queue.ts'
import { readDigest } from './read-digest.ts'
import { renderDigest } from './render-digest.ts'

const DAY_MS = 86_400_000

export interface DigestMailsOptions {
  /** Connected as the project's role; used only to find due users. */
  readonly pool: Pool
  /** Connected as the superuser or the configured user; reads a user's rejected changes. */
  readonly uploads: Pool
  /** Connections for queries as users. */
  readonly share: PoolShare
  readonly catalog: CatalogWatch
  readonly auth: Pick<AuthService, 'claimsOfUser' | 'sendDigest'>
  /** Hour from which mails are sent, in the workspace's time zone. */
  readonly hour: number
  /** URL of the workspace in the app, without trailing slash. */
  readonly home: string
  /** Returns a user's unsubscribe link. */
  readonly offUrlOf: (userId: string) => string
  readonly logger: Logger
}

/** Mails each user a daily digest of news once their morning begins: at most one per day, regardless of the number of servers. */
export function openDigestMails(options: DigestMailsOptions): AsyncDisposable & { wake(): void } {
  const { pool, uploads, share, catalog, auth, hour, home, offUrlOf, logger } = options
  /** Earliest start of the next run, by `performance.now()`. */
  let beginAtMs = 0
  const worker = new QueueWorker<DuePerson>({
    name: 'daily mails',
    pool,
    queue: DIGEST_QUEUE,
    logger,
    slots: PEOPLE_AT_ONCE,
    async prepare() {
      if (performance.now() < beginAtMs) return
      await beginDay(pool, hour)
      beginAtMs = performance.now() + LOOK_MS
    },
    run: ([person], signal) => write(person, signal),
    pollMs: LOOK_MS,
  })
  return {
    /** Checks for due users; the first call also starts a check every minute. */
    wake() {
      beginAtMs = 0
      worker.wake()
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  }

  async function write(person: DuePerson & Claimed, signal: AbortSignal): Promise<void> {
    const { userId, email, day, timeZone, since } = person
    const claims = await auth.claimsOfUser(userId)
    if (!claims) return
    const connections = share.for({ userKey: userId, signal })
    const digest = await readDigest(connections, { catalog: catalog.current(), claims, userId, day, timeZone, since })
    const refused = await countRefused(uploads, userId, since ?? new Date(Date.now() - DAY_MS))
    const isMailed = digest.isNew || refused > 0
    if (!(await finishDay(pool, person, isMailed)) || !isMailed) return
    const offUrl = offUrlOf(userId)
    const mail = renderDigest({ person, digest, refused, home, offUrl })
    await auth.sendDigest({ userId, to: email, ...mail, link: `${home}/inbox`, offUrl })
  }
}
