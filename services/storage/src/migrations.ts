import type { MigrationSource } from '@holdfast/postgres'

/** The `storage` schema. Applied after the platform's migrations, which create the API roles. */
export const storageMigrations: MigrationSource = {
  name: 'storage',
  directory: new URL('../migrations/', import.meta.url),
  // Not storage.objects, which a Supabase database already has.
  witness: 'storage.byte_stores',
}
