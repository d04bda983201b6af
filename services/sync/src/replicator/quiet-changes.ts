import type { SyncPlan } from '@holdfast/policy'

/**
 * Prefix of the message before that of a change of the schema whose effect no device sees: the oids of the tables that it concerns, with commas
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
