import { assert } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { parseLsn, type Lsn } from '@holdfast/replication'
import type { CheckpointFeed } from './checkpoint-feed.ts'

/** Prefix of the messages that make the stream pass a position even when nothing else is written. */
export const MARK_PREFIX = 'holdfast:mark'

/** Waits until the log contains everything that committed before some position. */
export interface Marks {
  /** @returns once the newest checkpoint contains everything that committed before `lsn` */
  pass(lsn: Lsn, signal: AbortSignal): Promise<void>
}

/**
 * The replication stream says how far it is only when something passes through it. So a message is written for whoever waits, at most one at a time: it
 * serves all who came before it.
 */
export function createMarks(pool: Pool, feed: CheckpointFeed): Marks {
  let inFlight: Promise<Lsn> | undefined

  async function emit(): Promise<Lsn> {
    // Transactional, so that its commit is flushed at once on every version of Postgres.
    const [row] = await pool.query<{ lsn: string }>(
      sql`select pg_logical_emit_message(true, ${MARK_PREFIX}, '')::text as lsn`,
    )
    const lsn = parseLsn(row?.lsn ?? '')
    assert(lsn !== undefined, 'Postgres tells where the message is')
    return lsn
  }

  return {
    async pass(lsn, signal) {
      while (feed.position < lsn) {
        signal.throwIfAborted()
        inFlight ??= emit().finally(() => (inFlight = undefined))
        const mark = await inFlight
        if (mark < lsn) continue // it was written before the position that we wait for
        await feed.reached(lsn, signal)
      }
    },
  }
}
