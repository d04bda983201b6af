import { delay, errorMessage, Semaphore, type Logger } from '@holdfast/foundation'
import { isConnectionLoss, sql, sqlstateOf, type Pool } from '@holdfast/postgres'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import { isLeaseLost } from '../lease/fence.ts'
import { COMPACT_BATCH_OPS_MAX, COMPACT_LOOK_BUCKETS, COMPACT_SLACK_OPS } from '../limits.ts'
import { compactStep } from './compact-step.ts'
import type { Compactions } from './compactions.ts'
import { EmptyBuckets, portionsOf } from './empty-buckets.ts'
import type { EmptyBucket } from './retire-buckets.ts'

export interface CompactorOptions {
  readonly pool: Pool
  /** Whether this process writes the log. Otherwise another process compacts it. */
  readonly isLeading?: () => boolean
  readonly feed: CheckpointFeed
  readonly compactions: Compactions
  /** Interval between rounds in seconds; 0 disables automatic rounds. */
  readonly intervalS: number
  /** Maximum operations dropped per second, so that reading and writing the log have disk bandwidth. */
  readonly opsPerSecond: number
  /** Deletes buckets without rows that no stream has. @returns the names of deleted ones */
  readonly retire?: (buckets: readonly EmptyBucket[], signal: AbortSignal) => Promise<ReadonlySet<string>>
  readonly logger: Logger
  /** Operations per transaction. */
  readonly batchOps?: number
  /** Superseded operations that a bucket may have whatever its size. */
  readonly slackOps?: number
}

/** Result of one round. */
export interface Compaction {
  readonly buckets: number
  /** Operations removed from the log. */
  readonly dropped: number
}

/** A round, for operators. */
export interface CompactionRound extends Compaction {
  /** End time in ms since the epoch. */
  readonly endedAtMs: number
  readonly ms: number
}

interface Candidate {
  readonly id: number
  readonly count: string
}

/** A lock conflict or deadlock with the writer: the bucket is compacted in a later round. */
const CONTENDED_STATES = new Set(['55P03', '40P01'])
const NOTHING: Compaction = { buckets: 0, dropped: 0 }

/**
 * Keeps the log proportional to the rows in it, in the background. A bucket's superseded operations up to an operation, the **floor**, become one MOVE with
 * the sum of their checksums. A device past the floor has them all and is not affected; a device that starts the bucket gets one operation instead of many; a
 * device in between must restart the bucket, which `send-ops.ts` detects by the floor that it reads with the operations.
 * A bucket is compacted when its superseded operations exceed half the number of its rows. The newest of them, up to a quarter of its rows, are kept, so a
 * device restarts a bucket only after missing at least that many changes.
 */
export class Compactor implements AsyncDisposable {
  readonly #options: CompactorOptions
  readonly #pool: Pool
  readonly #feed: CheckpointFeed
  readonly #batchOps: number
  readonly #slackOps: number
  readonly #stopping = new AbortController()
  readonly #looping: Promise<void>
  readonly #empty: EmptyBuckets
  /** The newest checkpoint at the start of the previous round. */
  #horizon = 0
  #total: Compaction = NOTHING
  #last: CompactionRound | undefined
  /** Runs one round at a time. */
  readonly #rounds = new Semaphore({ permits: 1 })

  constructor(options: CompactorOptions) {
    this.#options = options
    this.#pool = options.pool
    this.#feed = options.feed
    this.#batchOps = options.batchOps ?? COMPACT_BATCH_OPS_MAX
    this.#slackOps = options.slackOps ?? COMPACT_SLACK_OPS
    this.#empty = new EmptyBuckets(options.pool, Math.max(this.#slackOps, 1))
    // The loop ends when the compactor is disposed.
    this.#looping = options.intervalS > 0 ? this.#loop().catch(() => undefined) : Promise.resolve()
  }

  /** Total since the process started. */
  get total(): Compaction {
    return this.#total
  }
  get last(): CompactionRound | undefined {
    return this.#last
  }

  /**
   * Runs one round over all buckets. Compacts only what was superseded before the previous round, which readers have passed by now. Does nothing while
   * another process has the lease.
   */
  round(): Promise<Compaction> {
    return this.#rounds.run({}, () => this.#compactIfLeading())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('compaction is stopping'))
    await this.#looping
    await this.#rounds.run({}, () => undefined)
  }

  async #loop(): Promise<void> {
    const { intervalS, logger } = this.#options
    const { signal } = this.#stopping
    let seen = -1
    let isIdle = false
    while (!signal.aborted) {
      await delay(intervalS * 1000, signal)
      // One round after the last change, everything is compacted.
      if (isIdle && this.#feed.opId === seen) continue
      isIdle = this.#feed.opId === seen
      seen = this.#feed.opId
      try {
        await this.round()
      } catch (error) {
        if (signal.aborted) return
        isIdle = false
        const level = isConnectionLoss(error) ? 'debug' : 'warn'
        logger.log(level, 'the operation log could not be compacted; it is tried again', {
          reason: errorMessage(error),
        })
      }
    }
  }

  /** Only the lease holder compacts. A process that loses the lease stops. */
  async #compactIfLeading(): Promise<Compaction> {
    if (this.#options.isLeading?.() === false) return NOTHING
    try {
      return await this.#compactAll()
    } catch (error) {
      if (isLeaseLost(error)) return NOTHING
      throw error
    }
  }

  async #compactAll(): Promise<Compaction> {
    const startedMs = performance.now()
    const upTo = this.#horizon
    this.#horizon = this.#feed.opId
    await this.#deleteDropped()
    const compacted = await this.#compactLarge(upTo)
    const retired = await this.#retireEmpty(upTo)
    const done = { buckets: compacted.buckets + retired.buckets, dropped: compacted.dropped + retired.dropped }
    this.#count({ buckets: done.buckets, dropped: retired.dropped })
    this.#last = { ...done, endedAtMs: Date.now(), ms: Math.round(performance.now() - startedMs) }
    if (done.dropped > 0) this.#options.logger.log('debug', 'the operation log was compacted', { ...done })
    return done
  }

  /** Deletes buckets and operations of dropped definitions. */
  async #deleteDropped(): Promise<void> {
    const dropped = await this.#pool.query<{ number: number }>(sql`select number from sync.definitions where dropped`)
    for (const { number } of dropped) {
      for (;;) {
        const buckets = await this.#pool.query<{ id: number }>(sql`
          select id from sync.buckets where definition = ${number} order by id limit ${COMPACT_LOOK_BUCKETS}`)
        if (buckets.length === 0) break
        const ids = buckets.map((bucket) => bucket.id)
        await this.#deleteOperations(ids)
        await this.#pool.execute(sql`delete from sync.buckets where id = any(${ids}::int[])`)
      }
      await this.#pool.execute(sql`delete from sync.definitions where number = ${number}`)
    }
  }

  async #deleteOperations(bucketIds: readonly number[]): Promise<void> {
    for (;;) {
      const startedMs = performance.now()
      // `execute` instead of `query`, because queries are not fenced.
      const dropped = await this.#pool.execute(sql`
        delete from sync.ops o using (select bucket_id, op_id from sync.ops where bucket_id = any(${bucketIds}::int[]) limit ${this.#batchOps}) d
         where o.bucket_id = d.bucket_id and o.op_id = d.op_id`)
      this.#count({ buckets: 0, dropped })
      await this.#pace(dropped, startedMs)
      if (dropped < this.#batchOps) break
    }
  }

  /** Compacts buckets with many superseded operations relative to their rows. */
  async #compactLarge(upTo: number): Promise<Compaction> {
    const { signal } = this.#stopping
    let buckets = 0
    let dropped = 0
    for (let after = 0; ;) {
      const looked = await this.#pool.query<Candidate & { readonly due: boolean }>(sql`
        select id, count::text, count > live + live / 2 + ${this.#slackOps} as due from sync.buckets
         where id > ${after} order by id limit ${COMPACT_LOOK_BUCKETS}`)
      for (const bucket of looked) {
        if (!bucket.due) continue
        const gone = await this.#compactBucket(bucket, upTo).catch(giveWay)
        if (gone > 0) buckets++
        dropped += gone
        signal.throwIfAborted()
      }
      const lastLooked = looked.at(-1)
      if (!lastLooked) return { buckets, dropped }
      after = lastLooked.id
      signal.throwIfAborted()
    }
  }

  /** Compacts one bucket if worthwhile. @returns the number of removed operations */
  async #compactBucket(bucket: Candidate, upTo: number): Promise<number> {
    const pool = this.#pool
    const [dead] = await pool.query<{ count: number }>(sql`
      select count(*)::int as count from sync.ops where bucket_id = ${bucket.id} and row_key is null`)
    const superseded = dead?.count ?? 0
    const live = Math.max(0, Number(bucket.count) - superseded)
    const kept = Math.floor(live / 4)
    let gone = 0
    if (superseded - kept > this.#slackOps) {
      const [newest] = await pool.query<{ op_id: string }>(sql`
        select o.op_id::text from sync.ops o where o.bucket_id = ${bucket.id} and o.row_key is null and o.op_id <= ${upTo}
         order by o.op_id desc offset ${kept} limit 1`)
      gone = await this.#compactUpTo(bucket.id, Number(newest?.op_id ?? 0))
    }
    await pool.execute(sql`update sync.buckets set live = ${live} where id = ${bucket.id}`)
    return gone
  }

  async #compactUpTo(bucketId: number, target: number): Promise<number> {
    let gone = 0
    for (let from = 0; from < target;) {
      const startedMs = performance.now()
      this.#feed.compact(bucketId, target)
      const step = await this.#pool.transaction((tx) =>
        compactStep(tx, this.#options.compactions, bucketId, from, target, this.#batchOps),
      )
      if (step.dropped === 0 || step.floor <= from) break
      this.#feed.compacted(bucketId, step.count)
      gone += step.dropped - 1
      this.#count({ buckets: 0, dropped: step.dropped - 1 })
      from = step.floor
      await this.#pace(step.dropped, startedMs)
    }
    return gone
  }

  /** Retires buckets that were empty before the previous round. */
  async #retireEmpty(upTo: number): Promise<Compaction> {
    const { retire } = this.#options
    if (!retire) return NOTHING
    const { signal } = this.#stopping
    const inUse: EmptyBucket[] = []
    let buckets = 0
    let dropped = 0
    for (const some of portionsOf(await this.#empty.list(upTo), this.#batchOps)) {
      const names = await retire(some, signal)
      signal.throwIfAborted()
      for (const bucket of some) {
        if (!names.has(bucket.name)) inUse.push(bucket)
        else {
          buckets++
          dropped += bucket.count
        }
      }
    }
    this.#empty.keep(inUse)
    return { buckets, dropped }
  }

  #count({ buckets, dropped }: Compaction): void {
    this.#total = { buckets: this.#total.buckets + buckets, dropped: this.#total.dropped + dropped }
  }

  /** Waits to keep the rate of dropped operations within its limit. */
  async #pace(ops: number, startedMs: number): Promise<void> {
    const { signal } = this.#stopping
    const dueMs = (ops / this.#options.opsPerSecond) * 1000 - (performance.now() - startedMs)
    if (dueMs > 0) await delay(dueMs, signal)
    signal.throwIfAborted()
  }
}

function giveWay(error: unknown): number {
  if (CONTENDED_STATES.has(sqlstateOf(error) ?? '')) return 0
  throw error
}
