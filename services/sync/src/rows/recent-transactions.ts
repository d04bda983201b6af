import { delay } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { parseSnapshot, sawTransaction } from '../buckets/snapshot.ts'

/** How often to look whether transactions can be seen by queries, in milliseconds. */
export const VISIBLE_POLL_MS = 5
/** Transactions whose visibility is waited for: more than there are connections, of which each commits one at a time. */
const RECENT_TRANSACTIONS = 512

/** The last transactions that the stream has brought: it may do so a moment before queries can see them. */
export interface RecentTransactions {
  committed(xid: number): void
  /** Waits until queries see all of them. */
  untilVisible(signal: AbortSignal): Promise<void>
}

export function createRecentTransactions(pool: Pool): RecentTransactions {
  let recent: number[] = []
  return {
    committed(xid) {
      recent.push(xid)
      if (recent.length >= 2 * RECENT_TRANSACTIONS) recent = recent.slice(-RECENT_TRANSACTIONS)
    },
    async untilVisible(signal) {
      const xids = recent
      for (;;) {
        const [row] = await pool.query<{ snapshot: string }>(sql`select pg_current_snapshot()::text as snapshot`)
        const snapshot = parseSnapshot(row?.snapshot ?? '')
        if (xids.every((xid) => sawTransaction(snapshot, xid))) return
        await delay(VISIBLE_POLL_MS, signal)
      }
    },
  }
}
