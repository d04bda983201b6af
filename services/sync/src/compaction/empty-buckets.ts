import { sql, type Pool } from '@holdfast/postgres'
import { COMPACT_IN_USE_MAX, COMPACT_LOOK_BUCKETS } from '../limits.ts'
import type { EmptyBucket } from './retire-buckets.ts'

/** Finds buckets without rows, which may be retired. */
export class EmptyBuckets {
  readonly #pool: Pool
  /** Buckets with more operations are compacted first. */
  readonly #countMax: number
  /** Buckets with an earlier last operation have been listed: they are retired or in {@link #inUse}. */
  #listedUpTo = -1
  /** Empty buckets that a device had at the last attempt. */
  #inUse: readonly EmptyBucket[] = []

  constructor(pool: Pool, countMax: number) {
    this.#pool = pool
    this.#countMax = countMax
  }

  /** Lists empty buckets whose last operation is at most `upTo`. They are listed again until {@link keep} is called. */
  async list(upTo: number): Promise<readonly EmptyBucket[]> {
    let open = this.#inUse
    // Earlier buckets have had no operations since and were listed before.
    for (let after = 0; ;) {
      const found = await this.#pool.query<{ id: number; name: string; last_op_id: string; count: string }>(sql`
        select id, name, last_op_id::text, count::text from sync.buckets b
         where id > ${after} and last_op_id > ${this.#listedUpTo} and last_op_id <= ${upTo} and count <= ${this.#countMax}
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
    this.#listedUpTo = upTo
    this.#inUse = open
    return open
  }

  /** Sets the buckets that could not be retired. */
  keep(inUse: readonly EmptyBucket[]): void {
    this.#inUse = inUse.slice(-COMPACT_IN_USE_MAX)
  }
}

/** Splits buckets into portions of at most `opsMax` operations, or a single bucket. */
export function* portionsOf(buckets: readonly EmptyBucket[], opsMax: number): Generator<readonly EmptyBucket[]> {
  for (let at = 0; at < buckets.length;) {
    const some: EmptyBucket[] = []
    for (let ops = 0; at < buckets.length && (some.length === 0 || ops < opsMax); at++) {
      const bucket = buckets[at] as EmptyBucket
      some.push(bucket)
      ops += bucket.count
    }
    yield some
  }
}
