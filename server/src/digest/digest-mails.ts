import type { AuthService } from '@holdfast/auth'
import { errorMessage, type Logger } from '@holdfast/foundation'
import type { CatalogWatch, Pool, PoolShare } from '@holdfast/postgres'
import { LOOK_MS, PEOPLE_AT_ONCE } from './limits.ts'
import { claimPeople, countRefused, type DuePerson, finishDay } from './queue.ts'
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
  /** From which mails are written, in the time zone of the workspace. */
  readonly hour: number
  /** Of the workspace in the app, without a slash at the end. */
  readonly home: string
  /** The link that ends the mails of a person. */
  readonly offUrlOf: (userId: string) => string
  readonly logger: Logger
}

/**
 * Writes people a mail a day of what is new for them, when their morning has come. Any number of servers of one database share the work: for each person and day one of them
 * reads, and writes at most one mail. A look takes a bounded number of people, and what fails for one of them stops no other.
 */
export class DigestMails implements AsyncDisposable {
  readonly #options: DigestMailsOptions
  readonly #stopping = new AbortController()
  #isDue = false
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: DigestMailsOptions) {
    this.#options = options
  }

  /** There may be somebody whose morning has come; from the first call on this is asked once a minute. */
  wake(): void {
    if (this.#stopping.signal.aborted) return
    this.#isDue = true
    this.#looking ??= this.#lookUntilDone().finally(() => (this.#looking = undefined))
  }

  async #lookUntilDone(): Promise<void> {
    clearTimeout(this.#timer)
    while (this.#isDue && !this.#stopping.signal.aborted) {
      this.#isDue = false
      await this.#look()
    }
    if (this.#stopping.signal.aborted) return
    this.#timer = setTimeout(() => this.wake(), LOOK_MS)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const { pool, hour, logger } = this.#options
    try {
      const people = [...(await claimPeople(pool, hour))]
      const serve = async (): Promise<void> => {
        for (let person = people.pop(); person && !this.#stopping.signal.aborted; person = people.pop())
          await this.#serve(person)
      }
      await Promise.all(Array.from({ length: PEOPLE_AT_ONCE }, serve))
    } catch (error) {
      logger.log('debug', `who gets a daily mail cannot be asked yet: ${errorMessage(error)}`)
    }
  }

  async #serve(person: DuePerson): Promise<void> {
    try {
      await this.#write(person)
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      // It is tried again when the claim is over, a few times a day.
      this.#options.logger.log('warn', 'the daily mail of a person was not written', {
        user: person.userId,
        error: errorMessage(error),
      })
    }
  }

  async #write(person: DuePerson): Promise<void> {
    const { pool, uploads, share, catalog, auth, home, offUrlOf } = this.#options
    const { userId, email, day, timeZone, since } = person
    const claims = await auth.claimsOfPerson(userId)
    if (!claims) return
    const connections = share.for({ person: userId, signal: this.#stopping.signal })
    const digest = await readDigest(connections, { catalog: catalog.current(), claims, userId, day, timeZone, since })
    const refused = await countRefused(uploads, userId, since ?? new Date(Date.now() - DAY_MS))
    const isMailed = digest.isNew || refused > 0
    if (!(await finishDay(pool, person, isMailed)) || !isMailed) return
    const offUrl = offUrlOf(userId)
    const mail = renderDigest({ person, digest, refused, home, offUrl })
    await auth.sendDigest({ userId, to: email, ...mail, link: `${home}/inbox`, offUrl })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('stopped'))
    clearTimeout(this.#timer)
    await this.#looking
    clearTimeout(this.#timer)
  }
}
