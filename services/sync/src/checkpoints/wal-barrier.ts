import { assert } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { parseLsn, type Lsn } from '@holdfast/replication'
import type { CheckpointFeed } from './checkpoint-feed.ts'

/** Prefix of the messages that make the stream pass a position even when nothing else is written. */
export const BARRIER_PREFIX = 'holdfast:mark'

/** Waits until the log contains everything that committed before some position. */
export interface WalBarrier {
  /** @returns once the newest checkpoint contains everything that committed before `lsn` */
  waitFor(lsn: Lsn, signal: AbortSignal): Promise<void>
}

/**
 * The replication stream reports its position only when something passes through it. So a message is written for the callers that wait, at most one at a
 * time: it serves all callers that came before it.
 */
export function createWalBarrier(pool: Pick<Pool, 'query'>, feed: CheckpointFeed): WalBarrier {
  let inFlight: Promise<Lsn> | undefined

  async function emit(): Promise<Lsn> {
    // Transactional, so that its commit is flushed at once on every version of Postgres.
    const [row] = await pool.query<{ lsn: string }>(
      sql`select pg_logical_emit_message(true, ${BARRIER_PREFIX}, '')::text as lsn`,
    )
    const lsn = parseLsn(row?.lsn ?? '')
    assert(lsn !== undefined, 'Postgres tells where the message is')
    return lsn
  }

  return {
    async waitFor(lsn, signal) {
      while (feed.position < lsn) {
        signal.throwIfAborted()
        const isOwn = inFlight === undefined
        inFlight ??= emit().finally(() => (inFlight = undefined))
        const position = await inFlight
        if (position >= lsn) await feed.reached(lsn, signal)
        // Written later, and yet before it: a failover has taken back what led up to `lsn`.
        else if (isOwn) return await feed.reached(position, signal)
      }
    },
  }
}
