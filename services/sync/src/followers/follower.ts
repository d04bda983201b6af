import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { listen, sql, type Pool } from '@holdfast/postgres'
import { classListsOf } from '../buckets/access-classes.ts'
import type { ActivePlan, ClassLimits } from '../buckets/active-plan.ts'
import { readClassLists } from '../buckets/class-origins.ts'
import type { DependencyIndex } from '../buckets/dependency-index.ts'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import { Waiters } from '../checkpoints/waiters.ts'
import { FOLLOW_RETRY_MS, NOTES_POLL_MS, NOTES_READ_MAX } from './limits.ts'
import { logReadFailed } from '../storage/log-read-failure.ts'
import {
  epochOf,
  NOTES_CHANNEL,
  readHead,
  readKeyChanges,
  readPlanDocument,
  readStart,
  type LogHead,
  type Note,
  type PlanRow,
} from './notes.ts'
import { parsePlan } from './plan-document.ts'

export interface FollowerOptions {
  readonly url: string
  /** Identifies this process among those on the database. */
  readonly instance: string
  readonly pool: Pool
  readonly feed: CheckpointFeed
  readonly dependencies: DependencyIndex
  readonly classes: ClassLimits
  /** Called with streams whose buckets were deleted: their devices must reconnect. */
  readonly onRetired: (holders: ReadonlySet<object>) => void
  readonly logger: Logger
}

/** A plan and the number that the reader gave it. */
interface KnownPlan {
  readonly serial: number
  readonly active: ActivePlan
  /** Key changes may have been missed since it was loaded, so keys that were evaluated under it are void. */
  readonly isOutdated: boolean
}

/** The last applied note. */
interface Applied {
  readonly number: number
  /** Serial of the plan in force after it. */
  readonly plan: number | undefined
}

/**
 * Serves devices from the log that another process writes. Follows its notes: woken by notifications, and looking by itself every second, because a
 * notification may be lost. If notes are missing, it starts again at the log's current position.
 */
export class Follower {
  readonly #options: FollowerOptions
  readonly #applied = new Waiters<number>(0)
  #following: { readonly stopping: AbortController; readonly done: Promise<void> } | undefined
  #last: Applied | undefined
  #known: KnownPlan | undefined
  #isServed = false
  #problem: string | undefined
  /** When it last had everything that was in the log, by `performance.now()`. */
  #wholeAtMs = Number.NEGATIVE_INFINITY

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  get isFollowing(): boolean {
    return this.#following !== undefined
  }

  /** Whether devices may connect: there is a plan, although checkpoints may wait. */
  get isReady(): boolean {
    return this.isFollowing && this.#last !== undefined && this.#known !== undefined
  }

  /** Why the log cannot be followed at the moment. */
  get problem(): string | undefined {
    return this.isFollowing ? this.#problem : undefined
  }

  /** Seconds for which the log could not be read to its end; 0 while it is read as usual. */
  get lagSeconds(): number {
    return Math.max(0, performance.now() - this.#wholeAtMs - 2 * NOTES_POLL_MS) / 1000
  }

  /** The served plan; `undefined` while no checkpoint may be sent. */
  plan(): ActivePlan | undefined {
    return this.isFollowing && this.#isServed ? this.#known?.active : undefined
  }

  /** The newest plan, even if checkpoints wait. */
  newest(): ActivePlan | undefined {
    return this.isFollowing ? this.#known?.active : undefined
  }

  start(): void {
    if (this.#following) return
    const stopping = new AbortController()
    this.#wholeAtMs = performance.now()
    this.#following = { stopping, done: this.#follow(stopping.signal) }
  }

  /** Resolves when nothing is applied any more. */
  async stop(): Promise<void> {
    const following = this.#following
    if (!following) return
    following.stopping.abort(new Error('this process no longer follows'))
    await following.done
    this.#following = undefined
    this.#forget()
  }

  /**
   * Resolves when everything that is in the log now has been applied, or when this process no longer follows.
   *
   * @throws {HoldfastError} `sync_log_read` if buckets of the served plan are being deleted; the plan that replaces it arrives soon
   */
  async caughtUp(): Promise<void> {
    const following = this.#following
    if (!following) return
    const numbers = this.#known ? definitionsOf(this.#known.active) : []
    const [row] = await this.#options.pool.query<{ head: string | null; intact: number }>(sql`
      select greatest((select max(number) from sync.batch_notes), (select after_note from sync.served_plan))::text as head,
             (select count(*)::int from sync.definitions where number = any(${numbers}::int[]) and not dropped) as intact`)
    if (row?.intact !== numbers.length) throw logReadFailed('Buckets of the plan were dropped')
    await this.#applied.wait(Number(row.head ?? 0), following.stopping.signal).catch(() => undefined) // it reads the stream itself now
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#followOnce(signal)
      } catch (error) {
        if (signal.aborted) return
        this.#problem = errorMessage(error)
        this.#options.logger.log('debug', 'the operation log cannot be followed at the moment', {
          reason: this.#problem,
        })
        await delay(FOLLOW_RETRY_MS, signal).catch(() => undefined) // stopping ends the loop
      }
    }
  }

  /** Applies notes until the signal aborts. @throws if the log cannot be read */
  async #followOnce(signal: AbortSignal): Promise<void> {
    const { url, instance, logger } = this.#options
    let next = Promise.withResolvers<void>()
    const wake = (): void => next.resolve()
    await using _listening = await listen({
      url,
      channels: [NOTES_CHANNEL],
      applicationName: `holdfast follower ${instance}`,
      onNotify: wake,
      logger,
    })
    signal.addEventListener('abort', wake, { once: true })
    const poll = setInterval(wake, NOTES_POLL_MS)
    try {
      while (!signal.aborted) {
        next = Promise.withResolvers()
        const isWhole = await this.#readOn()
        this.#problem = undefined
        if (isWhole) await next.promise
      }
    } finally {
      clearInterval(poll)
      signal.removeEventListener('abort', wake)
    }
  }

  /** Applies new notes. @returns whether there are no more */
  async #readOn(): Promise<boolean> {
    const { pool } = this.#options
    const last = this.#last
    if (!last) return await this.#begin()
    const head = await readHead(pool, last.number, NOTES_READ_MAX)
    if (!head?.plan || !this.#continues(head, last)) return await this.#begin()
    for (const note of head.notes) {
      if (note.batch === 'unknown') return await this.#begin()
      this.#apply(note)
    }
    if (!head.isWhole) return false
    await this.#serve(head.plan)
    this.#wholeAtMs = performance.now()
    return true
  }

  /** Whether no note is missing. */
  #continues({ plan, epoch, notes, lastOpId, isWhole }: LogHead, last: Applied): boolean {
    if (!isCurrent(plan, epoch) || epochOf(last.number) !== epoch) return false
    if (notes.some((note, index) => note.number !== last.number + 1 + index)) return false
    return !isWhole || (notes.at(-1)?.toOpId ?? this.#options.feed.opId) === lastOpId
  }

  /** Starts at the log's current position. */
  async #begin(): Promise<boolean> {
    const { pool, feed, dependencies, logger } = this.#options
    this.#isServed = false
    const head = await readStart(pool)
    const [newest] = head?.notes ?? []
    if (!head?.plan || !isCurrent(head.plan, head.epoch) || !newest || newest.number < head.plan.afterNote) {
      this.#forget()
      return true
    }
    const keys = await readKeyChanges(pool, head.epoch)
    const position = newest.endLsn > head.confirmedLsn ? newest.endLsn : head.confirmedLsn
    if (this.#known) this.#known = { ...this.#known, isOutdated: true }
    feed.reset(head.lastOpId, position)
    dependencies.remember(keys)
    this.#noteApplied(newest)
    logger.log('info', 'follows the operation log', { note: newest.number })
    await this.#serve(head.plan)
    this.#wholeAtMs = performance.now()
    return true
  }

  #apply(note: Note): void {
    const { feed, dependencies } = this.#options
    const { fromOpId, toOpId, endLsn, batch, classes = [], keys = [], retired } = note
    if (note.plan !== this.#known?.serial) this.#isServed = false
    this.#addClasses(classes)
    dependencies.collectDescribed(keys)
    if (batch && batch !== 'unknown') feed.announce(batch.superseded)
    dependencies.tell()
    if (batch && batch !== 'unknown') {
      const { ops, ...sums } = batch
      feed.publish({ fromOpId, toOpId, endLsn, taken: ops && { ops }, ...sums })
    } else feed.advance(endLsn)
    if (classes.length > 0) for (const holder of dependencies.everybody()) holder.wake()
    if (retired) this.#options.onRetired(feed.retired(retired))
    this.#noteApplied(note)
  }

  #addClasses(classes: NonNullable<Note['classes']>): void {
    const active = this.#known?.active
    if (!active || classes.length === 0) return
    const lists = classListsOf(active)
    for (const [definition, name, key] of classes) lists.get(definition)?.add(name, key, null)
  }

  /** Serves the stored plan if it is in force after the last applied note. */
  async #serve({ afterNote, serial }: PlanRow): Promise<void> {
    const { pool, dependencies, classes } = this.#options
    const last = this.#last
    if (!last || serial === undefined || (afterNote < last.number && serial !== last.plan)) {
      this.#isServed = false
      return
    }
    if (this.#known?.serial !== serial || this.#known.isOutdated) {
      this.#isServed = false
      const document = await readPlanDocument(pool, serial)
      if (document === undefined) return
      const active = parsePlan(document, classes)
      await readClassLists(pool, active)
      this.#known = { serial, active, isOutdated: false }
    }
    if (this.#isServed) return
    this.#isServed = true
    dependencies.planChanged()
  }

  #noteApplied({ number, plan }: Note): void {
    this.#last = { number, plan }
    this.#applied.moveTo(number)
  }

  #forget(): void {
    this.#last = undefined
    this.#known = undefined
    this.#isServed = false
    this.#applied.restart(0)
  }
}

/** Whether the reader of this epoch notes what followers need. An earlier one may have left its plan. */
function isCurrent(plan: PlanRow | undefined, epoch: number): boolean {
  return plan !== undefined && epochOf(plan.afterNote) === epoch
}

/** Returns the numbers of the plan's stored definitions. */
function definitionsOf({ tables }: ActivePlan): readonly number[] {
  return [...new Set([...tables.values()].flatMap(({ definitions }) => definitions.map(({ stored }) => stored.number)))]
}
