import type { MigrationSource } from '@holdfast/postgres'

/** The schemas `net` and `supabase_functions`. Applied after the platform's migrations, which create the API roles. */
export const webhookMigrations: MigrationSource = {
  name: 'webhooks',
  directory: new URL('../migrations/webhooks/', import.meta.url),
  // Not a name from pg_net, or a database with that extension would count as Holdfast's.
  witness: 'net.holdfast_wake',
}

/** The `cron` schema. Applied after the platform's migrations. */
export const scheduleMigrations: MigrationSource = {
  name: 'schedules',
  directory: new URL('../migrations/schedules/', import.meta.url),
  // Not a name from pg_cron.
  witness: 'cron.holdfast_state',
}
