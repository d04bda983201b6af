import { delay } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import { VISIBLE_POLL_MS } from '../limits.ts'

const EPOCH = 2n ** 32n

/**
 * Waits until some transactions are visible to queries: the slot delivers a commit slightly earlier.
 *
 * @param xids - without epoch, as in the stream
 */
export async function waitUntilVisible(db: Queryable, xids: readonly number[], signal: AbortSignal): Promise<void> {
  for (;;) {
    const [row] = await db.query<{ snapshot: string }>(sql`select pg_catalog.pg_current_snapshot()::text as snapshot`)
    const isSeen = seenBy(row?.snapshot ?? '')
    if (xids.every(isSeen)) return
    await delay(VISIBLE_POLL_MS, signal)
  }
}

/** @param snapshot - `xmin:xmax:xip,…` */
export function seenBy(snapshot: string): (xid: number) => boolean {
  const [, xmax = '0', running = ''] = snapshot.split(':')
  const end = BigInt(xmax)
  const open = new Set(running === '' ? [] : running.split(',').map((xid) => Number(BigInt(xid) % EPOCH)))
  return (xid) => {
    let whole = (end / EPOCH) * EPOCH + BigInt(xid)
    // Choose the nearer of two possible epochs.
    if (whole > end + EPOCH / 2n) whole -= EPOCH
    else if (whole < end - EPOCH / 2n) whole += EPOCH
    return whole < end && !open.has(xid)
  }
}
