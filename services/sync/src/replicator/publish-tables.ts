import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import type { SyncPlan, TablePlan } from '@holdfast/policy'
import { quoteName, sql, type Pool, type Transaction } from '@holdfast/postgres'
import { ensurePublication, runShortStep, type RefusedTable, type TableName } from '@holdfast/replication'
import { DDL_PREFIX } from './change-reader.ts'
import { HEARTBEAT_TABLE } from './heartbeat.ts'

export const PUBLICATION = 'holdfast'

/** What operators are told until what was missed is in the log. */
export const MISSED = `The publication "${PUBLICATION}" was dropped or changed, so changes of tables did not arrive. It is mended, and the tables are being read again.`

/** Milliseconds until tables that were locked are tried again. */
const BUSY_RETRY_MS = 5_000

/** More partitions than one table will have; a bound for the loop only. */
const PARTITION_STEPS_MAX = 100_000

export interface PublishOptions {
  readonly pool: Pool
  readonly logger: Logger
  /** Ends the wait for another try. */
  readonly signal: AbortSignal
}

export interface PublishedPlan {
  /** Without the tables that cannot be followed yet. */
  readonly plan: SyncPlan
  /**
   * Whether tables were not published of which the log has rows: changes of theirs may have been missed, so they have to be read again, and that is noted in the
   * transaction that publishes them.
   */
  readonly hasMissed: boolean
}

/**
 * Publishes the tables that a plan needs, and follows their partitions. Somebody's transaction may have a table locked for long: such a table, and what depends on it, is left
 * out for now, and the plan is compiled again a few seconds later. Nothing else waits for it.
 */
export async function publishTables(options: PublishOptions, plan: SyncPlan): Promise<PublishedPlan> {
  const { pool, logger } = options
  let hasMissed = false
  const { refused, busy } = await ensurePublication(pool, {
    name: PUBLICATION,
    tables: [...plan.published, HEARTBEAT_TABLE],
    async beforeChange(tx, unpublished) {
      await tx.query(sql`select set_config('holdfast.publishes', 'on', true)`)
      hasMissed = (await voidTables(tx, unpublished)) || hasMissed
    },
  })
  for (const table of refused) logger.log('warn', 'a table cannot be followed', { ...table })
  await followPartitions(pool, logger)
  if (busy.length > 0 || plan.isPartial) void announceLater(options)
  if (busy.length === 0) return { plan, hasMissed }
  for (const table of busy) logger.log('info', 'a table is locked and will be followed later', { ...table })
  return { plan: withoutBusy(plan, busy), hasMissed }
}

/** Notes that what was read of some tables is void. @returns whether the log had anything of them */
async function voidTables(tx: Transaction, tables: readonly TableName[]): Promise<boolean> {
  const voided = await tx.execute(sql`
    update sync.definitions d set shape = 'void'
      from unnest(${tables.map(({ schema }) => schema)}::text[], ${tables.map(({ name }) => name)}::text[]) t (schema, name)
      join pg_catalog.pg_namespace n on n.nspname = t.schema
      join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.name
     where split_part(d.shape, ':', 1) = c.oid::text and not d.dropped`)
  return voided > 0
}

/** A partition at a time, for the same reasons. One that is locked is left to the next time. */
async function followPartitions(pool: Pool, logger: Logger): Promise<void> {
  for (let step = 0; step < PARTITION_STEPS_MAX; step++) {
    let isMore = false
    const outcome = await runShortStep(pool, async (tx) => {
      const [row] = await tx.query<{ more: boolean }>(sql`select sync.follow_next_partition(true) as more`)
      isMore = row?.more === true
    })
    if (outcome.kind === 'busy') {
      logger.log('info', 'a partition is locked and will be followed later', { reason: errorMessage(outcome.error) })
      return
    }
    if (!isMore) return
  }
}

/** Has the plan compiled again, as a change of the schema does. */
async function announceLater({ pool, signal, logger }: PublishOptions): Promise<void> {
  try {
    await delay(BUSY_RETRY_MS, signal)
    await pool.query(sql`select pg_logical_emit_message(true, ${DDL_PREFIX}, 'busy')`)
  } catch (error) {
    if (!signal.aborted)
      logger.log('debug', 'tables that were locked are not tried again', { reason: errorMessage(error) })
  }
}

function withoutBusy(plan: SyncPlan, busy: readonly RefusedTable[]): SyncPlan {
  const reasons = new Map(busy.map((table) => [quoteName(table.schema, table.name), table.reason]))
  const tables: TablePlan[] = []
  const refused = [...plan.refused]
  for (const table of plan.tables) {
    const reads = [table, ...table.definitions.flatMap((definition) => definition.dependencies)]
    const locked = reads.find(({ schema, name }) => reasons.has(quoteName(schema, name)))
    if (!locked) {
      tables.push(table)
      continue
    }
    const { schema, name, oid } = table
    const what = `${locked.schema}.${locked.name}`
    refused.push({
      schema,
      name,
      oid,
      reason: `${what} is locked by another transaction, so that its changes cannot be followed yet (${reasons.get(quoteName(locked.schema, locked.name))}); it is tried again`,
    })
  }
  const out = refused.slice(plan.refused.length).map((table) => table.oid)
  return { ...plan, version: `${plan.version}-${out.join('-')}`, tables, refused }
}
