import type { SyncPlan } from '@holdfast/policy'

/**
 * Prefix of the message that precedes a schema change without effect on devices. Contains the comma-separated OIDs of the affected tables
 * (`0096_quiet_changes.sql`).
 */
export const QUIET_PREFIX = 'holdfast:quiet'

/**
 * The same of a change that concerns these tables and nothing else, and that devices may see something of: a policy of a table that they do not have brings it
 * (`0097_changes_apart.sql`).
 */
export const APART_PREFIX = 'holdfast:apart'

/** Whether a plan follows none of the tables in a message with {@link QUIET_PREFIX} or {@link APART_PREFIX}. */
export function followsNone(plan: SyncPlan, message: string): boolean {
  const oids = new Set(message === '' ? [] : message.split(',').map(Number))
  return !plan.tables.some(
    (table) =>
      oids.has(table.oid) ||
      table.definitions.some(({ dependencies }) => dependencies.some(({ oid }) => oids.has(oid))),
  )
}
