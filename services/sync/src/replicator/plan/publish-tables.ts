import { errorMessage, type Logger } from '@holdfast/foundation'
import type { SyncPlan, TablePlan } from '@holdfast/policy'
import { quoteName, sql, type Pool, type Queryable, type Transaction } from '@holdfast/postgres'
import {
  ensurePublication,
  runShortStep,
  startDeadline,
  type RefusedTable,
  type TableName,
} from '@holdfast/replication'
import { PUBLISH_PATIENCE_MS } from '../../limits.ts'
import { HEARTBEAT_TABLE } from '../setup/heartbeat.ts'
import { recordIdentities, restoreIdentities } from './replica-identity.ts'

export const PUBLICATION = 'holdfast'

/** Operator message until the missed changes are in the log. */
export const MISSED = `The publication "${PUBLICATION}" was dropped or changed, so changes of tables did not arrive. It is mended, and the tables are being read again.`

/** Upper bound for the loop; no table has this many partitions. */
const PARTITION_STEPS_MAX = 100_000

export interface PublishOptions {
  readonly pool: Pool
  readonly logger: Logger
  /** Tables that other services follow in the same stream. */
  readonly alsoPublished: readonly TableName[]
}

export interface PublishedPlan {
  /** The plan without tables that cannot be followed yet. */
  readonly plan: SyncPlan
  /**
   * Whether tables with rows in the log were unpublished. Their changes may have been missed, so the transaction that publishes them also marks them to be read
   * again.
   */
  readonly hasMissed: boolean
}

/**
 * Publishes the tables that a plan needs and follows their partitions. Locked tables and their dependents are left out for now, so that nothing else waits for
 * them; the plan is then partial.
 */
export async function publishTables(
  { pool, logger, alsoPublished }: PublishOptions,
  plan: SyncPlan,
): Promise<PublishedPlan> {
  let hasMissed = false
  const tables = distinct([...plan.published, HEARTBEAT_TABLE, ...alsoPublished])
  await recordIdentities(pool, tables)
  const { refused, busy } = await ensurePublication(pool, {
    name: PUBLICATION,
    tables,
    timeoutMs: PUBLISH_PATIENCE_MS,
    async beforeChange(tx, unpublished) {
      await tx.query(sql`select set_config('holdfast.publishes', 'on', true)`)
      hasMissed = (await invalidateTables(tx, unpublished)) || hasMissed
    },
  })
  for (const table of refused) logger.log('warn', 'a table cannot be followed', { ...table })
  const isKept = await restoreIdentities(pool, PUBLICATION, startDeadline(PUBLISH_PATIENCE_MS))
  const isLeft = (await followPartitions(pool, logger)) || isKept
  if (busy.length === 0) return { plan: isLeft ? { ...plan, isPartial: true } : plan, hasMissed }
  for (const table of busy) logger.log('info', 'a table is locked and will be followed later', { ...table })
  return { plan: withoutBusy(plan, busy), hasMissed }
}

/** Returns whether all of these tables are in the publication, so that the stream contains their changes. */
export async function areFollowed(db: Queryable, tables: readonly TableName[]): Promise<boolean> {
  const [row] = await db.query<{ followed: boolean }>(sql`
    select not exists (
      select from unnest(${tables.map(({ schema }) => schema)}::text[], ${tables.map(({ name }) => name)}::text[]) t (schema, name)
       where not exists (
         select from pg_catalog.pg_publication p
           join pg_catalog.pg_publication_rel r on r.prpubid = p.oid
           join pg_catalog.pg_class c on c.oid = r.prrelid
           join pg_catalog.pg_namespace n on n.oid = c.relnamespace
          where p.pubname = ${PUBLICATION} and n.nspname = t.schema and c.relname = t.name)) as followed`)
  return row?.followed === true
}

function distinct(tables: readonly TableName[]): readonly TableName[] {
  return [...new Map(tables.map((table) => [quoteName(table.schema, table.name), table])).values()]
}

/** Invalidates the logged rows of some tables. @returns whether the log had any */
async function invalidateTables(tx: Transaction, tables: readonly TableName[]): Promise<boolean> {
  const voided = await tx.execute(sql`
    update sync.definitions d set shape = 'void'
      from unnest(${tables.map(({ schema }) => schema)}::text[], ${tables.map(({ name }) => name)}::text[]) t (schema, name)
      join pg_catalog.pg_namespace n on n.nspname = t.schema
      join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.name
     where split_part(d.shape, ':', 1) = c.oid::text and not d.dropped`)
  return voided > 0
}

/**
 * Follows the partitions of each table, one at a time. Tables with a locked partition are retried next time.
 *
 * @returns whether some tables remain
 */
async function followPartitions(pool: Pool, logger: Logger): Promise<boolean> {
  let isLeft = false
  const deadline = startDeadline(PUBLISH_PATIENCE_MS)
  const roots = await pool.query<{ oid: string }>(sql`
    select r.prrelid::int8::text as oid
      from pg_catalog.pg_publication p join pg_catalog.pg_publication_rel r on r.prpubid = p.oid
      join pg_catalog.pg_class c on c.oid = r.prrelid
     where p.pubname = ${PUBLICATION} and c.relkind = 'p'
     union
    select root::int8::text from sync.partitions`)
  for (const { oid } of roots) {
    for (let step = 0; step < PARTITION_STEPS_MAX; step++) {
      let isMore = false
      const follow = async (tx: Transaction): Promise<void> => {
        const [row] = await tx.query<{ more: boolean }>(
          sql`select sync.follow_next_partition(true, array[${oid}::int8::oid]) as more`,
        )
        isMore = row?.more === true
      }
      const outcome = await runShortStep(pool, follow, deadline)
      if (outcome.kind === 'busy') {
        isLeft = true
        logger.log('info', 'a partition is locked and will be followed later', { reason: errorMessage(outcome.error) })
      }
      if (outcome.kind === 'busy' || !isMore) break
    }
  }
  return isLeft
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
  // Only tables of other services are locked: the plan is unchanged, and is compiled again for them.
  if (out.length === 0) return { ...plan, isPartial: true }
  return { ...plan, version: `${plan.version}-${out.join('-')}`, tables, refused, isPartial: true }
}
