import { sql, type Transaction } from '@holdfast/postgres'

/** Prevents the project's event triggers from firing for the compiler's temporary objects, if permitted. Holdfast's own are not needed either. */
export async function disableEventTriggers(tx: Transaction): Promise<void> {
  await tx.query(sql`
    select pg_catalog.set_config('session_replication_role', 'replica', true), pg_catalog.set_config('holdfast.publishes', 'on', true)
     where pg_catalog.has_parameter_privilege('session_replication_role', 'set')`)
}
