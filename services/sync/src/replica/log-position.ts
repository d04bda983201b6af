import { createBatcher } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import { parseLsn, type Lsn } from '@holdfast/replication'

/** A moment of the primary. */
export interface LogPosition {
  /** Everything committed to the log until then is before it, and on its way to replicas. */
  readonly lsn: Lsn
  readonly timeline: number
  /** Written at each start of a reader with its clock in µs: another database, or a lost timeline, has another one. */
  readonly history: bigint
}

/** Positions that one query answers. */
const ASKED_TOGETHER_MAX = 1_000

/**
 * Returns a function that reads the position of the primary, coalesced for concurrent callers. Without `synchronous_commit` commits are visible before they are
 * flushed, so the position is that of the newest record, which may take some tenths of a second to be sent.
 */
export function createPositionReader(db: Queryable): () => Promise<LogPosition | undefined> {
  const ask = createBatcher({
    concurrency: 2,
    batchMax: ASKED_TOGETHER_MAX,
    async run(callers: readonly undefined[]) {
      const position = await readPosition(db)
      return callers.map(() => position)
    },
  })
  return () => ask(undefined)
}

async function readPosition(db: Queryable): Promise<LogPosition | undefined> {
  const [row] = await db.query<{ lsn: string; timeline: number; history: string }>(sql`
    select (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end)::text as lsn,
           ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as timeline,
           coalesce(write_checkpoint_floor, 0)::text as history
      from sync.state`)
  const lsn = parseLsn(row?.lsn ?? '')
  return row && lsn !== undefined ? { lsn, timeline: row.timeline, history: BigInt(row.history) } : undefined
}
