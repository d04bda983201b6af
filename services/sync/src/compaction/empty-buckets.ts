import { sql, type Pool } from '@holdfast/postgres'
import { COMPACT_IN_USE_MAX, COMPACT_LOOK_BUCKETS } from '../limits.ts'
import type { EmptyBucket } from './retire-buckets.ts'

/** Buckets that all rows have left, and that may be retired. */
export class EmptyBuckets {
  readonly #pool: Pool
  /** Buckets of more operations than this are compacted first. */
  readonly #countMax: number
  /** Buckets whose last operation is not later were listed before: they are retired or in {@link #inUse}. */
  #listedUpTo = -1
  /** Empty buckets that a device had when they were last tried. */
  #inUse: readonly EmptyBucket[] = []

  constructor(pool: Pool, countMax: number) {
    this.#pool = pool
    this.#countMax = countMax
  }

  /** Lists the buckets whose last operation is not later than `upTo`. They are listed again until {@link keep} is called. */
  async list(upTo: number): Promise<readonly EmptyBucket[]> {
    let open = this.#inUse
    // No operation has reached the earlier ones since, and they were looked at before.
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

  /** These could not be retired. */
  keep(inUse: readonly EmptyBucket[]): void {
    this.#inUse = inUse.slice(-COMPACT_IN_USE_MAX)
  }
}

/** Divides buckets into portions of at most `opsMax` operations, or one bucket. */
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
