import { sql, type Transaction } from '@holdfast/postgres'

/** Event triggers of the project do not fire for what the compiler makes and undoes, where it has the right to say so. Holdfast's own have nothing to say. */
export async function holdEventTriggersOff(tx: Transaction): Promise<void> {
  await tx.query(sql`
    select pg_catalog.set_config('session_replication_role', 'replica', true), pg_catalog.set_config('holdfast.publishes', 'on', true)
     where pg_catalog.has_parameter_privilege('session_replication_role', 'set')`)
}
