import type { MigrationSource } from '@holdfast/postgres'

/** The `auth` schema. Applied after the platform's migrations, which create the roles. */
export const authMigrations: MigrationSource = {
  name: 'auth',
  directory: new URL('../migrations/', import.meta.url),
  // Not auth.users, which a Supabase database already has.
  witness: 'auth.messages',
}
