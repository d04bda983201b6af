import type { OptionDeclarations } from '@holdfast/foundation'
import {
  backupOptions,
  dbOptions,
  exportOptions,
  functionsCommandOptions,
  genOptions,
  inspectOptions,
  keysOptions,
  migrateOptions,
  migrationOptions,
  secretsOptions,
  statusOptions,
  testOptions,
  verifyOptions,
} from '../config/command-options.ts'
import { devDeclarations, options, projectOptions, serverOptions } from '../config/options.ts'

/** A command as the help text names it and shells complete it. */
export interface CommandEntry {
  /** Its words: `db reset`. */
  readonly words: string
  /** What follows them: `<folder>`. */
  readonly argument?: string
  readonly summary: string
  /** The options that mean something to it; the parser accepts those of the server as well, which say where it is. */
  readonly options: OptionDeclarations
}

/** Which server or database is meant. */
const PLACE = (({ dataDir, configFile, databaseUrl, postgresBin, postgresSettings, json }) => ({
  dataDir,
  configFile,
  databaseUrl,
  postgresBin,
  postgresSettings,
  json,
}))(serverOptions)

const { url, serviceKey, user, table, all, id, apply } = inspectOptions
const RUNNING = { ...PLACE, url, serviceKey }
const { show, algorithm, atOnce } = keysOptions
const MIGRATIONS = { ...PLACE, ...projectOptions }
const { follow, lines, requestId } = functionsCommandOptions
const { seed, version, yes, dryRun, includeSeed, ...dumpOptions } = dbOptions
const DUMP = { ...PLACE, ...dumpOptions, dryRun, schema: genOptions.schema }

/** Every command, in the order of the help text. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    words: 'init',
    summary: 'Makes the folder of a project: supabase/config.toml, migrations, seed.sql',
    options: PLACE,
  },
  { words: 'start', summary: 'Starts the app, its APIs and Postgres, until Ctrl-C', options },
  {
    words: 'dev',
    argument: '-- <command …>',
    summary: 'Starts it, follows the project, and runs a command with address and keys (--types)',
    options: devDeclarations,
  },
  {
    words: 'stop',
    summary: 'Ends the server of the data folder, as Ctrl-C does, and waits until it has ended',
    options: PLACE,
  },
  {
    words: 'status',
    summary: 'Tells where the server of the data folder is, its keys and versions (--output=json, env)',
    options: { ...PLACE, ...statusOptions },
  },
  {
    words: 'doctor',
    summary: 'Looks at all that a server of this folder needs, and says what to do; exit code 1 on a problem',
    options: RUNNING,
  },
  {
    words: 'gen types',
    summary: 'Writes the TypeScript types of the database (--schema, --lang=powersync: of a device)',
    options: { ...RUNNING, ...genOptions },
  },
  {
    words: 'sync status',
    summary: 'Tells where sync stands: the tables read, how far behind it is, how large the log is',
    options: { ...RUNNING, all },
  },
  {
    words: 'sync coverage',
    summary: 'Tells of each table and policy whether and how it syncs, and at what cost',
    options: { ...RUNNING, table, all },
  },
  {
    words: 'sync check',
    summary: 'Names policies and streams that are not followed; exit code 1 when there are any',
    options: { ...RUNNING, apply },
  },
  {
    words: 'sync check',
    argument: '<file …>',
    summary: 'The same as it would be after these files of SQL (--apply: and applies them if nothing is)',
    options: { ...RUNNING, apply },
  },
  {
    words: 'sync explain',
    summary: 'Tells why a user has a row on their devices, or not (--user, --table, --id)',
    options: { ...RUNNING, user, table, id },
  },
  {
    words: 'sync verify',
    summary: 'Rebuilds a device of a user and compares it with Postgres (--user)',
    options: { ...RUNNING, user },
  },
  {
    words: 'functions new',
    argument: '<name>',
    summary: 'Makes an edge function with the least that it needs',
    options: PLACE,
  },
  {
    words: 'functions list',
    summary: 'Lists the edge functions of the project, and whether they need a token',
    options: PLACE,
  },
  {
    words: 'functions serve',
    summary: 'Starts the server and shows what functions print (--env-file, --import-map, --no-verify-jwt)',
    options,
  },
  {
    words: 'functions inspect',
    argument: '<name>',
    summary: 'Does so with the inspector of V8 in one function (--inspect-mode=run, brk or wait)',
    options,
  },
  {
    words: 'functions logs',
    argument: '[name]',
    summary: 'Shows what functions of a running server printed (--follow, --lines, --request-id)',
    options: { ...RUNNING, follow, lines, requestId },
  },
  {
    words: 'functions metrics',
    argument: '[name]',
    summary: 'Tells calls, errors, times and memory of the functions of a running server',
    options: RUNNING,
  },
  {
    words: 'secrets set',
    argument: '<NAME=value …>',
    summary: 'Sets secrets of functions; for a NAME alone the value is standard input (--env-file)',
    options: { ...PLACE, ...secretsOptions },
  },
  { words: 'secrets list', summary: 'Lists the secrets of functions, with digests of their values', options: PLACE },
  { words: 'secrets unset', argument: '<NAME …>', summary: 'Removes secrets of functions', options: PLACE },
  {
    words: 'keys list',
    summary: 'Lists the API keys (--show), and the keys that sign sessions',
    options: { ...RUNNING, show },
  },
  {
    words: 'keys add',
    summary: 'Makes a key that can sign sessions, once others know it (--algorithm)',
    options: { ...RUNNING, algorithm },
  },
  {
    words: 'keys rotate',
    argument: '[key]',
    summary: 'Has the added key sign sessions from now on (--at-once)',
    options: { ...RUNNING, atOnce },
  },
  {
    words: 'keys revoke',
    argument: '<key>',
    summary: 'Has what a key has signed refused from now on',
    options: RUNNING,
  },
  {
    words: 'storage verify',
    summary: 'Compares stored files with their rows, whether the server runs or not; exit code 1 if they differ',
    options: { ...PLACE, ...verifyOptions },
  },
  {
    words: 'migration new',
    argument: '<name>',
    summary: 'Makes an empty migration of the project in supabase/migrations',
    options: MIGRATIONS,
  },
  {
    words: 'migration list',
    summary: 'Lists the migrations of the project, and which are applied',
    options: MIGRATIONS,
  },
  {
    words: 'migration up',
    summary: 'Applies those that are not, whether the server runs or not (--include-all: older ones, too)',
    options: { ...MIGRATIONS, ...migrationOptions },
  },
  {
    words: 'db reset',
    summary: 'Makes the database of the project anew, with migrations and seeds (--version, --no-seed)',
    options: { ...MIGRATIONS, seed, version, yes },
  },
  {
    words: 'db push',
    summary: 'Brings the database of DATABASE_URL up to the migrations (--dry-run, --include-seed)',
    options: { ...MIGRATIONS, ...migrationOptions, dryRun, includeSeed },
  },
  {
    words: 'db pull',
    argument: '[name]',
    summary: 'Writes the first migration of a project from a database that has one already',
    options: { ...MIGRATIONS, schema: genOptions.schema },
  },
  {
    words: 'db dump',
    summary: 'Writes definitions as SQL, or rows, or roles (--file, --schema, --data-only, --role-only)',
    options: DUMP,
  },
  { words: 'dump', summary: 'The same as "db dump"; all of a data folder is what "backup" takes', options: DUMP },
  { words: 'seed', summary: 'Applies the seeds that the database does not have', options: MIGRATIONS },
  {
    words: 'test db',
    argument: '[path …]',
    summary: 'Runs the pgTAP tests of supabase/tests, each file in a transaction; exit code 1 if one fails',
    options: { ...PLACE, ...testOptions },
  },
  {
    words: 'backup',
    argument: '<folder>',
    summary: 'Takes a backup of the database and the data folder, also while the server runs',
    options: { ...PLACE, ...backupOptions },
  },
  {
    words: 'restore',
    argument: '<folder>',
    summary: 'Makes a new data folder, or fills an empty database, from a backup',
    options: { ...PLACE, ...backupOptions },
  },
  {
    words: 'migrate',
    summary: 'Makes a new data folder of a project that runs elsewhere (--from, --storage-url, --dry-run)',
    options: { ...PLACE, ...migrateOptions, serviceKey, dryRun },
  },
  {
    words: 'export',
    summary: 'Takes the project to another one, or into a folder (--to, --storage-url, --dry-run)',
    options: { ...PLACE, ...exportOptions, storageUrl: migrateOptions.storageUrl, serviceKey, dryRun },
  },
  {
    words: 'completion',
    argument: '<shell>',
    summary: 'Prints what completes commands and options in bash, zsh or fish',
    options: {},
  },
  { words: 'help', summary: 'Shows this text; "help --markdown" prints the reference page', options: {} },
]

/** The first words of all commands. */
export const FIRST_WORDS: readonly string[] = [...new Set(COMMANDS.map(({ words }) => words.split(' ')[0] ?? ''))]

/** The lines of the help text. */
export function printCommands(): readonly string[] {
  const lines = COMMANDS.map(({ words, argument, summary }) => {
    const usage = argument === undefined ? words : `${words} ${argument}`
    return `  ${`${usage} `.padEnd(16)} ${summary}`
  })
  return [...lines, '  --version        Shows the version']
}
