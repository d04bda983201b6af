import type { Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import { sql, type Pool, type Transaction } from '@holdfast/postgres'
import { ensurePublication, type TableName } from '@holdfast/replication'
import { HEARTBEAT_TABLE } from './heartbeat.ts'

export const PUBLICATION = 'holdfast'

/** Prefix of the message with the oid of a table that somebody took out of the publication. */
export const UNPUBLISHED_PREFIX = 'holdfast:unpublished'

/** What operators are told until what was missed is in the log. */
export const MISSED = `The publication "${PUBLICATION}" was dropped or changed, so changes of tables did not arrive. It is mended, and the tables are being read again.`

/**
 * Publishes the tables that a plan needs.
 *
 * @returns whether tables were not published of which the log has rows: changes of theirs may have been missed, so they have to be read again, and
 * that is noted in the transaction that publishes them
 */
export async function publishTables(pool: Pool, plan: SyncPlan, logger: Logger): Promise<boolean> {
  let hasMissed = false
  const { refused } = await ensurePublication(pool, {
    name: PUBLICATION,
    tables: [...plan.published, HEARTBEAT_TABLE],
    async beforeChange(tx, unpublished) {
      await tx.query(sql`select set_config('holdfast.publishes', 'on', true)`)
      hasMissed = await voidTables(tx, unpublished)
    },
  })
  for (const table of refused) logger.log('warn', 'a table cannot be followed', { ...table })
  return hasMissed
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
