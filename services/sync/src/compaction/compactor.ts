import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { isConnectionLoss, sql, sqlstateOf, type Pool, type Transaction } from '@holdfast/postgres'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import { isLeaseLost } from '../lease/fence.ts'
import type { Compactions } from './compactions.ts'
import type { EmptyBucket } from './retire-buckets.ts'
import { COMPACT_BATCH_OPS_MAX, COMPACT_IN_USE_MAX, COMPACT_LOOK_BUCKETS, COMPACT_SLACK_OPS } from '../limits.ts'

export interface CompactorOptions {
  readonly pool: Pool
  /** Whether this process writes the log: another one compacts it otherwise. */
  readonly isLeading?: () => boolean
  readonly feed: CheckpointFeed
  readonly compactions: Compactions
  /** Seconds between two rounds; 0: none by itself. */
  readonly intervalS: number
  /** Operations dropped per second at most, so that reading and writing the log have the disk. */
  readonly opsPerSecond: number
  /** Deletes buckets that all rows have left, as far as nobody has them. @returns the names of those that are gone */
  readonly retire?: (buckets: readonly EmptyBucket[], signal: AbortSignal) => Promise<ReadonlySet<string>>
  readonly logger: Logger
  /** Operations in one transaction. */
  readonly batchOps?: number
  /** Superseded operations that a bucket may have whatever its size. */
  readonly slackOps?: number
}

/** What one round did. */
export interface Compaction {
  readonly buckets: number
  /** Operations that are no longer in the log. */
  readonly dropped: number
}

/** A round, as operators see it. */
export interface CompactionRound extends Compaction {
  /** When it ended, in milliseconds since the epoch. */
  readonly endedAtMs: number
  readonly ms: number
}

export interface Compactor extends AsyncDisposable {
  /**
   * One round over all buckets. Compacts what was superseded when the round before began, so that whoever reads is past it. Does nothing while another process
   * has the lease.
   */
  round(): Promise<Compaction>
  /** Since the process began. */
  readonly total: Compaction
  readonly last: CompactionRound | undefined
}

interface Candidate {
  readonly id: number
  readonly count: string
}

/** A lock that the writer holds, or a deadlock with it: it goes first, we come again. */
const CONTENDED_STATES = new Set(['55P03', '40P01'])
const NOTHING: Compaction = { buckets: 0, dropped: 0 }

/** Longer waits than this for the writer are given up, well before Postgres would look for a deadlock. */
const LOCK_TIMEOUT = '50ms'

/**
 * Keeps the log as large as the rows that are in it, in the background. Superseded operations of a bucket up to some operation, its **floor**, become
 * one MOVE with the sum of their checksums at that operation. A device that stands past the floor has them all and notices nothing; one that begins
 * with the bucket gets one instead of many; one in between is told to begin the bucket from scratch, which `send-ops.ts` sees from the floor that it reads
 * together with the operations.
 *
 * A bucket is compacted when superseded operations are more than half as many as its rows, and then keeps the newest of them, a quarter of its
 * rows: a device begins a bucket from scratch only when it has missed at least that many changes of it.
 */
export function startCompactor(options: CompactorOptions): Compactor {
  const { pool, feed, logger } = options
  const batchOps = options.batchOps ?? COMPACT_BATCH_OPS_MAX
  const slackOps = options.slackOps ?? COMPACT_SLACK_OPS
  const stopping = new AbortController()
  const total = { buckets: 0, dropped: 0 }
  /** The newest checkpoint when the round before began. */
  let horizon = 0
  let last: CompactionRound | undefined
  /** Empty buckets are those whose last operation is later, and these, which a person had. */
  let lookedUpTo = -1
  let inUse: EmptyBucket[] = []
  let running: Promise<unknown> = Promise.resolve()

  async function pace(ops: number, startedMs: number): Promise<void> {
    const dueMs = (ops / options.opsPerSecond) * 1000 - (performance.now() - startedMs)
    if (dueMs > 0) await delay(dueMs, stopping.signal)
    stopping.signal.throwIfAborted()
  }

  async function deleteDropped(): Promise<void> {
    const dropped = await pool.query<{ number: number }>(sql`select number from sync.definitions where dropped`)
    for (const { number } of dropped) {
      for (;;) {
        const buckets = await pool.query<{ id: number }>(sql`
          select id from sync.buckets where definition = ${number} order by id limit ${COMPACT_LOOK_BUCKETS}`)
        if (buckets.length === 0) break
        const ids = buckets.map((bucket) => bucket.id)
        for (;;) {
          const startedMs = performance.now()
          const [row] = await pool.query<{ count: number }>(sql`
            with gone as (
              delete from sync.ops o using (select bucket_id, op_id from sync.ops where bucket_id = any(${ids}::int[]) limit ${batchOps}) d
               where o.bucket_id = d.bucket_id and o.op_id = d.op_id
              returning 1)
            select count(*)::int as count from gone`)
          total.dropped += row?.count ?? 0
          await pace(row?.count ?? 0, startedMs)
          if ((row?.count ?? 0) < batchOps) break
        }
        await pool.execute(sql`delete from sync.buckets where id = any(${ids}::int[])`)
      }
      await pool.execute(sql`delete from sync.definitions where number = ${number}`)
    }
  }

  /** Compacts one bucket if that pays. @returns how many operations are gone */
  async function compactBucket(bucket: Candidate, upTo: number): Promise<number> {
    const [dead] = await pool.query<{ count: number }>(sql`
      select count(*)::int as count from sync.ops where bucket_id = ${bucket.id} and row_key is null`)
    const superseded = dead?.count ?? 0
    const live = Math.max(0, Number(bucket.count) - superseded)
    const kept = Math.floor(live / 4)
    let gone = 0
    if (superseded - kept > slackOps) {
      const [newest] = await pool.query<{ op_id: string }>(sql`
        select o.op_id::text from sync.ops o where o.bucket_id = ${bucket.id} and o.row_key is null and o.op_id <= ${upTo}
         order by o.op_id desc offset ${kept} limit 1`)
      const target = Number(newest?.op_id ?? 0)
      for (let from = 0; from < target;) {
        const startedMs = performance.now()
        feed.compact(bucket.id, target)
        const step = await pool.transaction((tx) =>
          compactStep(tx, options.compactions, bucket.id, from, target, batchOps),
        )
        if (step.dropped === 0 || step.floor <= from) break
        feed.compacted(bucket.id, step.count)
        gone += step.dropped - 1
        total.dropped += step.dropped - 1
        from = step.floor
        await pace(step.dropped, startedMs)
      }
    }
    await pool.execute(sql`update sync.buckets set live = ${live} where id = ${bucket.id}`)
    return gone
  }

  /** Gives up buckets that were empty when the round before began already. */
  async function retireEmpty(upTo: number): Promise<Compaction> {
    if (!options.retire) return NOTHING
    let open = inUse
    // Those that no operation has reached since were looked at before.
    for (let after = 0; ;) {
      const found = await pool.query<{ id: number; name: string; last_op_id: string; count: string }>(sql`
        select id, name, last_op_id::text, count::text from sync.buckets b
         where id > ${after} and last_op_id > ${lookedUpTo} and last_op_id <= ${upTo} and count <= ${Math.max(slackOps, 1)}
           and not exists (select from sync.ops o where o.bucket_id = b.id and o.row_key is not null)
         order by id limit ${COMPACT_LOOK_BUCKETS}`)
      const buckets = found.map(({ id, name, last_op_id, count }) => ({
        id,
        name,
        lastOpId: Number(last_op_id),
        count: Number(count),
      }))
      open = [...open, ...buckets]
      const last = buckets.at(-1)
      if (!last) break
      after = last.id
    }
    lookedUpTo = upTo
    inUse = open // should this fail
    const left: EmptyBucket[] = []
    const gone = { buckets: 0, dropped: 0 }
    for (let at = 0; at < open.length;) {
      const some: EmptyBucket[] = []
      for (let ops = 0; at < open.length && (some.length === 0 || ops < batchOps); at++) {
        const bucket = open[at] as EmptyBucket
        some.push(bucket)
        ops += bucket.count
      }
      const names = await options.retire(some, stopping.signal)
      stopping.signal.throwIfAborted()
      for (const bucket of some) {
        if (!names.has(bucket.name)) left.push(bucket)
        else {
          gone.buckets++
          gone.dropped += bucket.count
        }
      }
    }
    inUse = left.slice(-COMPACT_IN_USE_MAX)
    return gone
  }

  /** The process that has the lease compacts, and one that loses it in the middle stops. */
  async function round(): Promise<Compaction> {
    if (options.isLeading?.() === false) return NOTHING
    try {
      return await compactAll()
    } catch (error) {
      if (isLeaseLost(error)) return NOTHING
      throw error
    }
  }

  async function compactAll(): Promise<Compaction> {
    const startedMs = performance.now()
    const upTo = horizon
    horizon = feed.opId
    await deleteDropped()
    let buckets = 0
    let dropped = 0
    for (let after = 0; ;) {
      const looked = await pool.query<Candidate & { readonly due: boolean }>(sql`
        select id, count::text, count > live + live / 2 + ${slackOps} as due from sync.buckets
         where id > ${after} order by id limit ${COMPACT_LOOK_BUCKETS}`)
      for (const bucket of looked) {
        if (!bucket.due) continue
        const gone = await compactBucket(bucket, upTo).catch(giveWay)
        if (gone > 0) buckets++
        dropped += gone
        stopping.signal.throwIfAborted()
      }
      const lastLooked = looked.at(-1)
      if (!lastLooked) break
      after = lastLooked.id
      stopping.signal.throwIfAborted()
    }
    const retired = await retireEmpty(upTo)
    buckets += retired.buckets
    dropped += retired.dropped
    total.dropped += retired.dropped
    total.buckets += buckets
    last = { buckets, dropped, endedAtMs: Date.now(), ms: Math.round(performance.now() - startedMs) }
    if (dropped > 0) logger.log('debug', 'the operation log was compacted', { buckets, dropped })
    return { buckets, dropped }
  }

  function giveWay(error: unknown): number {
    if (CONTENDED_STATES.has(sqlstateOf(error) ?? '')) return 0
    throw error
  }

  async function loop(): Promise<void> {
    let seen = -1
    let idle = false
    while (!stopping.signal.aborted) {
      await delay(options.intervalS * 1000, stopping.signal)
      // A round later than the last change everything is past it.
      if (idle && feed.opId === seen) continue
      idle = feed.opId === seen
      seen = feed.opId
      try {
        await exclusively(round)
      } catch (error) {
        if (stopping.signal.aborted) return
        idle = false
        const level = isConnectionLoss(error) ? 'debug' : 'warn'
        logger.log(level, 'the operation log could not be compacted; it is tried again', {
          reason: errorMessage(error),
        })
      }
    }
  }

  function exclusively<T>(body: () => Promise<T>): Promise<T> {
    const next = running.then(body)
    running = next.catch(() => undefined) // whoever asked for it sees the failure
    return next
  }

  const looping = options.intervalS > 0 ? loop().catch(() => undefined) : Promise.resolve() // ends when it is stopped
  return {
    round: () => exclusively(round),
    get total() {
      return { ...total }
    },
    get last() {
      return last
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('compaction is stopping'))
      await looping
      await running
    },
  }
}

/**
 * A step matters to a device that stands in it: it has some of the operations and not the others, and whoever has a row that one of them removes has
 * one of them too. Only CLEAR concerns everybody before it.
 *
 * Makes one of at most `batchOps` superseded operations in `[from, target]`. The bucket's row is locked first, as the writer locks it last: what
 * each holds, the other does not yet need.
 */
async function compactStep(
  tx: Transaction,
  compactions: Compactions,
  bucketId: number,
  from: number,
  target: number,
  batchOps: number,
): Promise<{ readonly dropped: number; readonly floor: number; readonly count: number }> {
  await tx.execute(sql`set local lock_timeout = '${sql.trusted(LOCK_TIMEOUT)}'`)
  await tx.execute(sql`select from sync.buckets where id = ${bucketId} for update`)
  const [gone] = await tx.query<{
    count: number
    low: string | null
    floor: string | null
    checksum: string | null
  }>(sql`
    with gone as (
      delete from sync.ops o using (
        select op_id from sync.ops
         where bucket_id = ${bucketId} and row_key is null and op_id >= ${from} and op_id <= ${target}
         order by op_id limit ${batchOps}) d
       where o.bucket_id = ${bucketId} and o.op_id = d.op_id
      returning o.op_id, o.checksum, substring(o.doc from 25 + length(o.op_id::text) for 5) = 'CLEAR' as clears)
    select count(*)::int as count, case when bool_or(clears) then '0' else min(op_id)::text end as low, max(op_id)::text as floor, sum(checksum::bigint)::text as checksum from gone`)
  if (!gone || gone.floor === null || gone.checksum === null) return { dropped: 0, floor: target, count: 0 }
  const floor = Number(gone.floor)
  const checksum = Number(BigInt.asIntN(32, BigInt(gone.checksum)))
  await tx.execute(sql`
    insert into sync.ops (op_id, bucket_id, checksum, row_key, doc)
    values (${floor}, ${bucketId}, ${checksum}, null, sync.move_doc(${floor}::bigint, ${checksum}::int))`)
  const [updated] = await tx.query<{ count: string; compactions: number }>(sql`
    update sync.buckets set floor = greatest(floor, ${floor}), compactions = compactions + 1, count = count - ${gone.count - 1}
     where id = ${bucketId} returning count::text, compactions`)
  if (updated) compactions.note(bucketId, { number: updated.compactions, low: Number(gone.low), high: floor })
  return { dropped: gone.count, floor, count: Number(updated?.count ?? 0) }
}
