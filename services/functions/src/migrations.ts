import type { MigrationSource } from '@holdfast/postgres'

/** The schemas `net` and `supabase_functions`. Applied after the platform's, which makes the API roles. */
export const webhookMigrations: MigrationSource = {
  name: 'webhooks',
  directory: new URL('../migrations/webhooks/', import.meta.url),
  // Not of pg_net, whose schema stays as it is.
  witness: 'net.holdfast_wake',
}
