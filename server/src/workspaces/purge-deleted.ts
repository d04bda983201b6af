import type { Logger } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { type QueueTable, QueueWorker, settleSql } from '@holdfast/queue'

/** Lease of a run in ms: longer than it takes. */
const LEASE_MS = 600_000

/** How often a server asks whether the daily run is due, in ms. */
const POLL_MS = 3_600_000

const BETWEEN_RUNS = sql`interval '1 day'`

interface Purged {
  readonly fields: number
  readonly tables: number
  /** Tables that somebody was using. */
  readonly busy: number
}

export interface PurgeOptions {
  /** Connects as the project's role. */
  readonly pool: Pool
  readonly logger: Logger
  /** The current time as SQL; a test moves it. */
  readonly now?: () => ReturnType<typeof sql>
}

/** Opens the daily job that drops the fields and tables that were deleted more than 30 days ago. One of several servers runs it. */
export function openPurge({
  pool,
  logger,
  now = () => sql`statement_timestamp()`,
}: PurgeOptions): QueueWorker<Record<never, never>> {
  const queue: QueueTable = {
    table: ['holdfast_private', 'repeated_jobs'],
    key: { name: 'name', type: 'text' },
    dueAt: 'due_at',
    lease: LEASE_MS,
    isWaiting: sql`(q.name = 'purge_deleted')`,
    columns: sql`q.name`,
    now,
  }
  return new QueueWorker({
    name: 'deleted fields and tables',
    pool,
    queue,
    logger,
    slots: 1,
    pollMs: POLL_MS,
    async run([job]) {
      const [row] = await pool.query<{ purged: Purged }>(sql`select holdfast.purge_deleted(${now()}) as purged`)
      if (row && Object.values(row.purged).some((count) => count > 0))
        logger.log('info', 'dropped what was deleted more than 30 days ago', { ...row.purged })
      await pool.query(settleSql(queue, [job], sql`due_at = ${now()} + ${BETWEEN_RUNS}`))
    },
  })
}
