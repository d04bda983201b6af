import { delay } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { parseSnapshot, sawTransaction } from '../buckets/snapshot.ts'

/** Poll interval in ms for the visibility of transactions. */
export const VISIBLE_POLL_MS = 5
/** Above the number of connections, each of which commits one transaction at a time. */
const RECENT_TRANSACTIONS = 512

/** The last transactions from the stream, which may deliver them slightly before they are visible to queries. */
export interface RecentTransactions {
  committed(xid: number): void
  /** Waits until all of them are visible to queries. */
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
