/** The transactions visible to a query, as returned by `pg_current_snapshot()`. */
export interface Snapshot {
  readonly xmin: bigint
  readonly xmax: bigint
  readonly running: ReadonlySet<bigint>
}

const HALF = 2n ** 31n
const WHOLE = 2n ** 32n

/** Parses Postgres's text form `xmin:xmax:xip,xip,…`. */
export function parseSnapshot(text: string): Snapshot {
  const [xmin = '0', xmax = '0', running = ''] = text.split(':')
  return {
    xmin: BigInt(xmin),
    xmax: BigInt(xmax),
    running: new Set(running === '' ? [] : running.split(',').map(BigInt)),
  }
}

/**
 * Whether a committed transaction is visible in a snapshot.
 *
 * @param xid - 32-bit id from the replication stream; its epoch is the one nearest to the snapshot
 * @see PostgreSQL manual, "pg_visible_in_snapshot"
 */
export function sawTransaction(snapshot: Snapshot, xid: number): boolean {
  let full = (snapshot.xmax / WHOLE) * WHOLE + BigInt(xid)
  if (full - snapshot.xmax > HALF) full -= WHOLE
  else if (snapshot.xmax - full > HALF) full += WHOLE
  if (full < snapshot.xmin) return true
  return full < snapshot.xmax && !snapshot.running.has(full)
}
