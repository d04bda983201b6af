import { authMigrations } from '@holdfast/auth'
import { consoleMigrations } from '@holdfast/console'
import { scheduleMigrations, webhookMigrations } from '@holdfast/functions'
import { platformMigrations, type MigrationSource } from '@holdfast/postgres'
import { realtimeMigrations } from '@holdfast/realtime'
import { storageMigrations } from '@holdfast/storage'
import { syncMigrations } from '@holdfast/sync'

const serverMigrations: MigrationSource = {
  name: 'holdfast',
  directory: new URL('../migrations/', import.meta.url),
  witness: 'holdfast.settings',
  repeatable: ['holdfast/0051_strings'],
}

/** Every migration there is, in the order in which sources are applied. */
export const MIGRATIONS: readonly MigrationSource[] = [
  platformMigrations,
  authMigrations,
  storageMigrations,
  realtimeMigrations,
  webhookMigrations,
  scheduleMigrations,
  syncMigrations,
  consoleMigrations,
  serverMigrations,
]
