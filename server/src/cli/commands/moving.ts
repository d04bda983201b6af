import {
  backupOptions,
  dbOptions,
  exportOptions,
  inspectOptions,
  migrateOptions,
} from '../../config/command-options.ts'
import { backupDeclarations, exportDeclarations, migrateDeclarations } from '../../config/options.ts'
import { type CommandEntry, PLACE } from './entry.ts'

const { dryRun } = dbOptions
const { serviceKey } = inspectOptions

export const MOVING_COMMANDS: readonly CommandEntry[] = [
  {
    words: 'backup',
    group: 'Back up and move',
    argument: '<folder>',
    summary: 'Create a backup of the database and the data folder, also while the server runs',
    options: { ...backupOptions, ...PLACE },
    accepts: backupDeclarations,
    run: async (input) => await (await import('../backup.ts')).backup(input),
  },
  {
    words: 'restore',
    argument: '<folder>',
    summary: 'Create a data folder, or fill an empty database, from a backup',
    options: { ...backupOptions, ...PLACE },
    accepts: backupDeclarations,
    run: async (input) => await (await import('../backup.ts')).restore(input),
  },
  {
    words: 'migrate',
    summary: 'Create a data folder from a project that runs elsewhere',
    options: { ...migrateOptions, dryRun, serviceKey, ...PLACE },
    accepts: migrateDeclarations,
    examples: ['holdfast migrate --from=postgres://postgres@db.example.com/postgres --dry-run'],
    run: async (input) => await (await import('../migrate.ts')).migrate(input),
  },
  {
    words: 'export',
    summary: 'Copy the project to another one, or into a folder',
    options: { ...exportOptions, storageUrl: migrateOptions.storageUrl, dryRun, serviceKey, ...PLACE },
    accepts: exportDeclarations,
    examples: ['holdfast export --to=./exported', 'holdfast export --to=postgres://postgres@db.example.com/postgres'],
    run: async (input) => await (await import('../export.ts')).exportProject(input),
  },
]
