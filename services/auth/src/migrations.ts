import type { MigrationSource } from '@holdfast/postgres'

/** The schema `auth`. Applied after the platform's, which makes the roles. */
export const authMigrations: MigrationSource = {
  name: 'auth',
  directory: new URL('../migrations/', import.meta.url),
  // Not auth.users, which the database of a Supabase project brings along.
  witness: 'auth.messages',
}
