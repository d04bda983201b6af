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
  /** Connected as the project: for whose turn it is only. */
  readonly pool: Pool
  /** Connected as the superuser, or as the configured user: for what of a person's changes was refused. */
  readonly uploads: Pool
  /** Connections on which what a person may see is asked. */
  readonly share: PoolShare
  readonly catalog: CatalogWatch
  readonly auth: Pick<AuthService, 'claimsOfPerson' | 'sendDigest'>
  /** Hour from which mails are written, in the workspace's time zone. */
  readonly hour: number
  /** URL of the workspace in the app, without trailing slash. */
  readonly home: string
  /** The link that ends the mails of a person. */
  readonly offUrlOf: (userId: string) => string
  readonly logger: Logger
}

/** Writes people a mail a day of what is new for them, when their morning has come: at most one, however many servers share the work. */
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
    /** There may be somebody whose morning has come; from the first call on this is asked once a minute. */
    wake() {
      beginAtMs = 0
      worker.wake()
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  }

  async function write(person: DuePerson & Claimed, signal: AbortSignal): Promise<void> {
    const { userId, email, day, timeZone, since } = person
    const claims = await auth.claimsOfPerson(userId)
    if (!claims) return
    const connections = share.for({ person: userId, signal })
    const digest = await readDigest(connections, { catalog: catalog.current(), claims, userId, day, timeZone, since })
    const refused = await countRefused(uploads, userId, since ?? new Date(Date.now() - DAY_MS))
    const isMailed = digest.isNew || refused > 0
    if (!(await finishDay(pool, person, isMailed)) || !isMailed) return
    const offUrl = offUrlOf(userId)
    const mail = renderDigest({ person, digest, refused, home, offUrl })
    await auth.sendDigest({ userId, to: email, ...mail, link: `${home}/inbox`, offUrl })
  }
}
