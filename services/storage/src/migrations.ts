import type { MigrationSource } from '@holdfast/postgres'

/** The schema `storage`. Applied after the platform's, which makes the API roles. */
export const storageMigrations: MigrationSource = {
  name: 'storage',
  directory: new URL('../migrations/', import.meta.url),
  // Not storage.objects, which the database of a Supabase project brings along.
  witness: 'storage.byte_stores',
}
