import type { MigrationSource } from '@holdfast/postgres'

/** The `realtime` schema. Applied after the platform's migrations, which create the API roles. */
export const realtimeMigrations: MigrationSource = {
  name: 'realtime',
  directory: new URL('../migrations/', import.meta.url),
  // Not realtime.messages, which a Supabase database already has.
  witness: 'realtime.keep_partitions',
}
