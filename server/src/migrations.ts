import { authMigrations } from '@holdfast/auth'
import { platformMigrations, type MigrationSource } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'

const serverMigrations: MigrationSource = {
  name: 'holdfast',
  directory: new URL('../migrations/', import.meta.url),
  witness: 'holdfast.settings',
}

/** Every migration there is, in the order in which sources are applied. */
export const MIGRATIONS: readonly MigrationSource[] = [
  platformMigrations,
  authMigrations,
  syncMigrations,
  serverMigrations,
]
