import type { MigrationSource } from '@holdfast/postgres'

/** The schemas `net` and `supabase_functions`. Applied after the platform's, which makes the API roles. */
export const webhookMigrations: MigrationSource = {
  name: 'webhooks',
  directory: new URL('../migrations/webhooks/', import.meta.url),
  // Not one that pg_net makes: a database that has the extension would count as one of Holdfast.
  witness: 'net.holdfast_wake',
}

/** The schema `cron`. Applied after the platform's. */
export const scheduleMigrations: MigrationSource = {
  name: 'schedules',
  directory: new URL('../migrations/schedules/', import.meta.url),
  // Not one that pg_cron makes.
  witness: 'cron.holdfast_state',
}
