import type { MigrationSource } from '@holdfast/postgres'

/** The schema `realtime`. Applied after the platform's, which makes the API roles. */
export const realtimeMigrations: MigrationSource = {
  name: 'realtime',
  directory: new URL('../migrations/', import.meta.url),
  // Not realtime.messages, which the database of a Supabase project brings along.
  witness: 'realtime.keep_partitions',
}
