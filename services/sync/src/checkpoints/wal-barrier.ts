import { assert } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { parseLsn, type Lsn } from '@holdfast/replication'
import type { CheckpointFeed } from './checkpoint-feed.ts'

/** Prefix of messages that advance the stream past a position when nothing else is written. */
export const BARRIER_PREFIX = 'holdfast:mark'

/** Content of a follower's message: the reader notes the position for it. */
export const FOLLOWER_WAITS = 'follower'

/** Waits until the log contains everything committed before a position. */
export interface WalBarrier {
  /** @returns once the newest checkpoint contains everything committed before `lsn` */
  waitFor(lsn: Lsn, signal: AbortSignal): Promise<void>
}

/**
 * The replication stream reports its position only with traffic. So waiting callers write a message, at most one at a time, which serves all earlier callers.
 */
export function createWalBarrier(
  pool: Pick<Pool, 'query'>,
  feed: CheckpointFeed,
  isFollowing: () => boolean = () => false,
): WalBarrier {
  let inFlight: Promise<Lsn> | undefined

  async function emit(): Promise<Lsn> {
    // Transactional, so its commit is flushed immediately on every Postgres version.
    const [row] = await pool.query<{ lsn: string }>(
      sql`select pg_logical_emit_message(true, ${BARRIER_PREFIX}, ${isFollowing() ? FOLLOWER_WAITS : ''})::text as lsn`,
    )
    const lsn = parseLsn(row?.lsn ?? '')
    assert(lsn !== undefined, 'Postgres tells where the message is')
    return lsn
  }

  return {
    async waitFor(lsn, signal) {
      let target = lsn
      while (feed.position < target) {
        signal.throwIfAborted()
        const isOwn = inFlight === undefined
        inFlight ??= emit().finally(() => (inFlight = undefined))
        const position = await inFlight
        // The message was written later but has a lower position: a failover lost the log up to `lsn`.
        if (position < target && isOwn) target = position
        if (position >= target) await feed.reached(target, signal)
      }
    },
  }
}
