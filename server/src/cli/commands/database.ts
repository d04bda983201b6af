import { dbOptions, genOptions, migrationOptions, testOptions } from '../../config/command-options.ts'
import { dbDeclarations, genDeclarations, migrationDeclarations, testDeclarations } from '../../config/options.ts'
import { type CommandEntry, LOCAL, PLACE, PROJECT, RUNNING } from './entry.ts'

const { seed, version, yes, dryRun, includeSeed, ...dumpOptions } = dbOptions
const DUMP_SPELLINGS = { '-f': 'file', '-s': 'schema', '-x': 'exclude', '--db-url': 'databaseUrl' }

export const DATABASE_COMMANDS: readonly CommandEntry[] = [
  {
    words: 'migration new',
    group: 'Develop',
    argument: '<name>',
    summary: 'Create an empty migration in supabase/migrations',
    options: PROJECT,
    accepts: migrationDeclarations,
    examples: ['holdfast migration new add_notes'],
    run: async (input) => (await import('../migration.ts')).newMigration(input),
  },
  {
    words: 'migration list',
    summary: 'List the migrations, and which are applied',
    options: PROJECT,
    accepts: migrationDeclarations,
    run: async (input) => await (await import('../migration.ts')).listMigrations(input),
  },
  {
    words: 'migration up',
    summary: 'Apply the migrations that the database does not have',
    options: { ...migrationOptions, ...PROJECT },
    accepts: migrationDeclarations,
    run: async (input) => await (await import('../migration.ts')).applyMigrationFiles(input),
  },
  {
    words: 'db reset',
    summary: 'Recreate the project database, with migrations and seeds',
    options: { seed, version, yes, ...PROJECT },
    accepts: dbDeclarations,
    ignored: LOCAL,
    examples: ['holdfast db reset', 'holdfast db reset --version=20260101000000 --no-seed'],
    run: async (input) => await (await import('../db.ts')).resetDatabase(input),
  },
  {
    words: 'db push',
    summary: 'Apply the migrations to the database of DATABASE_URL',
    options: { ...migrationOptions, dryRun, includeSeed, ...PROJECT },
    accepts: dbDeclarations,
    spellings: DUMP_SPELLINGS,
    ignored: LOCAL,
    examples: ['holdfast db push --dry-run'],
    run: async (input) => await (await import('../db.ts')).pushMigrations(input),
  },
  {
    words: 'db pull',
    argument: '[name]',
    summary: 'Write the first migration of a project from an existing database',
    options: { schema: genOptions.schema, ...PROJECT },
    accepts: dbDeclarations,
    spellings: DUMP_SPELLINGS,
    ignored: LOCAL,
    run: async (input) => await (await import('../pull.ts')).pull(input),
  },
  ...['db dump', 'dump'].map((words): CommandEntry => ({
    words,
    summary: words === 'dump' ? 'The same as "db dump"' : 'Write definitions, rows or roles as SQL',
    options: { ...dumpOptions, dryRun, schema: genOptions.schema, ...PLACE },
    accepts: dbDeclarations,
    spellings: DUMP_SPELLINGS,
    ignored: LOCAL,
    examples: ['holdfast db dump -f schema.sql', 'holdfast db dump --data-only -s public -f rows.sql'],
    run: async (input) => await (await import('../dump.ts')).dump(input),
  })),
  {
    words: 'seed',
    summary: 'Apply the seeds that the database does not have',
    options: PROJECT,
    accepts: migrationDeclarations,
    run: async (input) => await (await import('../apply-seeds.ts')).seed(input),
  },
  {
    words: 'test db',
    argument: '[path...]',
    summary: 'Run the pgTAP tests of supabase/tests; exit code 1 if one fails',
    options: { ...testOptions, ...PLACE },
    accepts: testDeclarations,
    run: async (input) => await (await import('../test/test.ts')).testDatabase(input),
  },
  {
    words: 'gen types',
    argument: '[language]',
    summary: 'Write the TypeScript types of the database, or the PowerSync schema of a device',
    options: { ...genOptions, ...RUNNING },
    accepts: genDeclarations,
    spellings: { '-s': 'schema' },
    ignored: LOCAL,
    examples: ['holdfast gen types > src/database.types.ts', 'holdfast gen types --lang=powersync'],
    run: async (input) => await (await import('../gen.ts')).generateTypes(input),
  },
]
