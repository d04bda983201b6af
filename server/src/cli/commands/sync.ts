import { inspectOptions } from '../../config/command-options.ts'
import { inspectDeclarations } from '../../config/options.ts'
import { type CommandEntry, RUNNING } from './entry.ts'

const { user, table, all, id, apply } = inspectOptions

export const SYNC_COMMANDS: readonly CommandEntry[] = [
  {
    words: 'sync status',
    group: 'Sync',
    summary: 'Show the tables read, the lag and the size of the log',
    options: { all, ...RUNNING },
    accepts: inspectDeclarations,
    run: async (input) => await (await import('../sync/commands.ts')).syncStatus(input),
  },
  {
    words: 'sync coverage',
    summary: 'Show whether, how and at what cost each table and policy syncs',
    options: { table, all, ...RUNNING },
    accepts: inspectDeclarations,
    run: async (input) => await (await import('../sync/commands.ts')).syncCoverage(input),
  },
  {
    words: 'sync check',
    argument: '[file...]',
    summary: 'Name policies that do not sync, now or after SQL files; exit code 1 if there are any',
    options: { apply, ...RUNNING },
    accepts: inspectDeclarations,
    examples: ['holdfast sync check', 'holdfast sync check supabase/migrations/20260101000000_notes.sql'],
    run: async (input) => await (await import('../sync/commands.ts')).checkSync(input),
  },
  {
    words: 'sync explain',
    summary: 'Explain why a user has a row on their devices, or not',
    options: { user, table, id, ...RUNNING },
    accepts: inspectDeclarations,
    examples: ['holdfast sync explain --user=ada@example.com --table=notes --id=6f9619ff-8b86-d011-b42d-00c04fc964ff'],
    run: async (input) => await (await import('../sync/commands.ts')).explainRow(input),
  },
  {
    words: 'sync verify',
    summary: 'Rebuild a device of a user and compare it with Postgres; exit code 1 if they differ',
    options: { user, ...RUNNING },
    accepts: inspectDeclarations,
    examples: ['holdfast sync verify --user=ada@example.com'],
    run: async (input) => await (await import('../sync/commands.ts')).verifyDevice(input),
  },
]
