import type { SyncPlan } from '@holdfast/policy'

/**
 * Prefix of the message that precedes a schema change without effect on devices. Contains the comma-separated OIDs of the affected tables
 * (`0096_quiet_changes.sql`).
 */
export const QUIET_PREFIX = 'holdfast:quiet'

/**
 * Prefix of the message that precedes a schema change affecting only these tables, which devices may see: for example, a policy may add a table to devices
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
