import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import type { ChangeFeed } from '../changes/change-feed.ts'
import { parseWanted, type Subscriber, type Subscription } from '../changes/subscription.ts'
import {
  FOLLOWED_JOIN_PATIENCE_MS,
  FOLLOWED_PATIENCE_MS,
  POSTGRES_CHANGES_PER_CHANNEL_MAX,
  UNPUBLISHED_RETRY_MS,
} from '../limits.ts'
import type { JoinConfig } from './join-config.ts'

type Entry = Readonly<Record<string, unknown>>

export const SUBSCRIBED = 'Subscribed to PostgreSQL'

/** A member's subscriptions to Postgres changes. */
export class MemberChanges {
  readonly #feed: ChangeFeed
  readonly #entries: readonly Entry[]
  readonly #ids: readonly number[]
  /** Wait limit in ms for newly published tables. */
  readonly #timeoutMs: number
  readonly #logger: Logger
  #subscriptions: readonly Subscription[] = []
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(feed: ChangeFeed, config: Pick<JoinConfig, 'postgresChanges' | 'waitsForChanges'>, logger: Logger) {
    this.#feed = feed
    this.#entries = config.postgresChanges.slice(0, POSTGRES_CHANGES_PER_CHANNEL_MAX)
    const texts = this.#entries.map((entry) => JSON.stringify(entry))
    this.#ids = texts.map((text) => texts.indexOf(text) + 1)
    this.#timeoutMs = config.waitsForChanges ? FOLLOWED_JOIN_PATIENCE_MS : FOLLOWED_PATIENCE_MS
    this.#logger = logger
  }

  get isWanted(): boolean {
    return this.#entries.length > 0
  }

  /** Returns the subscriptions in the client's order, with ids, because clients compare them with their own. */
  answer(): readonly Entry[] {
    return this.#entries.map((entry, index) => ({ ...entry, id: this.#ids[index] }))
  }

  /**
   * Subscribes, and checks that all subscriptions are effective. Retries unpublished tables.
   *
   * @param onReady - called when a failed subscription becomes effective
   * @returns the reason for a failure
   */
  async subscribe(subscriber: Subscriber, onReady: () => void): Promise<string | undefined> {
    try {
      this.#remove()
      const known = new Set<number>()
      const added = this.#entries.flatMap((entry, index): Subscription[] => {
        const id = this.#ids[index] as number
        if (known.has(id)) return []
        known.add(id)
        return [{ ...parseWanted(entry, id), subscriber }]
      })
      if (this.#isClosed) return undefined
      this.#subscriptions = added
      for (const subscription of added) this.#feed.add(subscription)
      for (const subscription of added) await this.#feed.check(subscription, this.#timeoutMs)
      return undefined
    } catch (error) {
      const isUnpublished = error instanceof HoldfastError && error.code === 'RealtimeDisabledForConfiguration'
      if (isUnpublished) this.#lookAgain(subscriber, onReady)
      else this.#remove()
      return this.#explain(error, isUnpublished)
    }
  }

  /** The member has a new token with the same role. */
  identityChanged(): void {
    for (const subscription of this.#subscriptions) this.#feed.identityChanged(subscription)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#remove()
  }

  #lookAgain(subscriber: Subscriber, onReady: () => void): void {
    if (this.#isClosed) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      void this.subscribe(subscriber, onReady).then((problem) => {
        if (problem === undefined && !this.#isClosed) onReady()
      })
    }, UNPUBLISHED_RETRY_MS)
    this.#retry.unref()
  }

  #remove(): void {
    for (const subscription of this.#subscriptions) this.#feed.remove(subscription)
    this.#subscriptions = []
  }

  #explain(error: unknown, isUnpublished: boolean): string {
    const message = errorMessage(error)
    if (message.startsWith('Error parsing `filter`')) return message
    const parameters = JSON.stringify(
      this.#entries.map(({ event, schema, table, filter }) => ({ event, schema, table, filter })),
    )
    const begin = 'Unable to subscribe to changes with given parameters.'
    if (isUnpublished) return `${begin} ${message}: ${parameters}`
    this.#logger.log('debug', 'a subscription to Postgres changes was refused', { error: message })
    return `${begin} An exception happened so please check your connect parameters: ${parameters}. Exception: ${message}`
  }
}
