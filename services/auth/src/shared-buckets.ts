import type { Clock } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import { RATE_LIMITED_ADDRESSES_MAX } from './limits.ts'
import type { BucketSize, OpenBuckets } from './rate-limits.ts'

type Statements = Pick<Pool, 'query' | 'execute'>

/** Tokens taken by this server between two cleanups. */
const TAKES_PER_CLEANUP = 1_000

/** Buckets kept in the database; those that are full soonest are deleted first. */
const BUCKETS_MAX = 100_000

/** The longest window of a limit; a bucket that is full later was written by a clock that was wrong. */
const WINDOW_MAX = '1 hour'

/**
 * Opens buckets in the database, for all its servers together. Refusals are remembered here until their time is over, so that a flood of them costs no statements.
 *
 * @param pool - with connections of its own, because tokens are also taken within transactions
 */
export function bucketsInDatabase(pool: Statements, clock: Clock): OpenBuckets {
  let takes = 0
  const countTake = async (): Promise<void> => {
    takes = (takes + 1) % TAKES_PER_CLEANUP
    if (takes === 0) await cleanUp(pool)
  }
  return (name, size) => {
    const refusedUntilMs = new Map<string, number>()
    return {
      async take(key) {
        const nowMs = clock.now()
        const remainingMs = (refusedUntilMs.get(key) ?? 0) - nowMs
        if (remainingMs > 0 && remainingMs <= size.windowS * 1_000) return Math.ceil(remainingMs / 1_000)
        refusedUntilMs.delete(key)
        const waitS = await takeToken(pool, { name, key, size })
        if (waitS > 0) {
          refusedUntilMs.set(key, nowMs + waitS * 1_000)
          if (refusedUntilMs.size > RATE_LIMITED_ADDRESSES_MAX)
            refusedUntilMs.delete(refusedUntilMs.keys().next().value ?? key)
        }
        await countTake()
        return waitS
      },
    }
  }
}

/** A bucket is the time at which it is full. A token moves it by one interval, at most to the end of a window from now. */
async function takeToken(
  pool: Statements,
  { name, key, size }: { readonly name: string; readonly key: string; readonly size: BucketSize },
): Promise<number> {
  const intervalS = size.windowS / size.attempts
  const [row] = await pool.query<{ is_taken: boolean; full_in_s: number | null }>(sql`
    with taken as (
      insert into auth.rate_limits as b (name, key, full_at)
      values (${name}, ${key}, statement_timestamp() + make_interval(secs => ${intervalS}))
      on conflict (name, key) do update
        set full_at = greatest(b.full_at, statement_timestamp()) + make_interval(secs => ${intervalS})
        -- A microsecond less than the division may give.
        where greatest(b.full_at, statement_timestamp()) + make_interval(secs => ${intervalS} - 0.001)
              <= statement_timestamp() + make_interval(secs => ${size.windowS})
      returning true)
    select exists (select from taken) as is_taken,
           (select extract(epoch from b.full_at - statement_timestamp())::float8 from auth.rate_limits b
             where b.name = ${name} and b.key = ${key}) as full_in_s`)
  if (row?.is_taken) return 0
  const waitS = Math.ceil((row?.full_in_s ?? 0) + intervalS - size.windowS)
  return Math.min(size.windowS, Math.max(1, waitS))
}

async function cleanUp(pool: Statements): Promise<void> {
  await pool.execute(sql`
    delete from auth.rate_limits
     where not full_at between statement_timestamp() and statement_timestamp() + ${WINDOW_MAX}::interval`)
  await pool.execute(sql`
    delete from auth.rate_limits where (name, key) in (
      select name, key from auth.rate_limits order by full_at
       limit greatest(0, (select count(*) from auth.rate_limits) - ${BUCKETS_MAX}))`)
}
