import { delay } from '@holdfast/foundation'
import { sql, type Pool, type Queryable } from '@holdfast/postgres'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import { BARRIER_PREFIX } from '../checkpoints/wal-barrier.ts'
import type { BucketIds } from '../storage/bucket-ids.ts'

/** A bucket without rows, as of its listing. */
export interface EmptyBucket {
  readonly id: number
  readonly name: string
  readonly lastOpId: number
  readonly count: number
}

/**
 * Deletes buckets without rows. If a row returns, its bucket is created with another id and a floor above every device's position, so a device that returns
 * with an old position restarts it.
 * Runs between two batches of the writer, which caches bucket ids by name, and only for buckets that no stream has or is looking up.
 */
export interface Retirement {
  /** @returns the names of deleted buckets. Buckets in use stay, and all stay if the writer is not between two batches in time */
  retire(buckets: readonly EmptyBucket[], signal: AbortSignal): Promise<ReadonlySet<string>>
  /** Call between two batches. */
  run(writer: { readonly isIdle: boolean; readonly ids: Pick<BucketIds, 'forget'> }): Promise<void>
}

interface Request {
  readonly buckets: readonly EmptyBucket[]
  readonly done: PromiseWithResolvers<ReadonlySet<string>>
}

/** Time in ms to wait for the writer to be between two batches. */
const WAIT_MS = 2_000

export function createRetirement(options: {
  readonly pool: Pool
  readonly feed: CheckpointFeed
  /** Called with deleted buckets: positions of devices downloading them are invalid. */
  readonly onRetired: (names: ReadonlySet<string>) => void
  /** Called in the transaction that deletes buckets. */
  readonly onDeleted: (db: Queryable, names: readonly string[]) => Promise<void>
}): Retirement {
  const { pool, feed } = options
  let waiting: Request | undefined

  /** Also tells followers, whose streams may have these buckets. */
  function deleteBuckets(buckets: readonly EmptyBucket[]): Promise<readonly string[]> {
    return pool.transaction(async (tx) => {
      const names = await deleteIn(tx, buckets)
      await options.onDeleted(tx, names)
      return names
    })
  }
  async function deleteIn(db: Queryable, buckets: readonly EmptyBucket[]): Promise<readonly string[]> {
    const rows = await db.query<{ name: string }>(sql`
      with gone as (
        delete from sync.buckets b
         using unnest(${buckets.map(({ id }) => id)}::int[], ${buckets.map(({ lastOpId }) => lastOpId)}::bigint[]) n (id, last_op_id)
         where b.id = n.id and b.last_op_id = n.last_op_id
           and not exists (select from sync.ops o where o.bucket_id = b.id and o.row_key is not null)
        returning b.id, b.name
      ), emptied as (
        delete from sync.ops o using gone where o.bucket_id = gone.id
      )
      select name from gone`)
    return rows.map(({ name }) => name)
  }

  return {
    async retire(buckets, signal) {
      const request: Request = { buckets, done: Promise.withResolvers() }
      waiting = request
      // Causes a batch, after which the writer calls `run`.
      await pool.query(sql`select pg_logical_emit_message(true, ${BARRIER_PREFIX}, '')`)
      await Promise.race([request.done.promise, delay(WAIT_MS, signal).catch(() => undefined)]) // an abort counts as a timeout
      if (waiting === request) {
        waiting = undefined
        return new Set()
      }
      return request.done.promise
    },
    async run({ isIdle, ids }) {
      if (!waiting || !isIdle) return
      const { buckets, done } = waiting
      waiting = undefined
      const retiring = feed.retire(buckets.map(({ name }) => name))
      try {
        const names = new Set(await deleteBuckets(buckets.filter(({ name }) => retiring.names.has(name))))
        ids.forget(names)
        options.onRetired(names)
        done.resolve(names)
      } catch (error) {
        done.reject(error as Error)
      } finally {
        retiring.end()
      }
    },
  }
}
