import { devOptions, doctorOptions, statusOptions } from '../../config/command-options.ts'
import { devDeclarations, doctorDeclarations, options, statusDeclarations } from '../../config/options.ts'
import { type CommandEntry, pickServerOptions, PLACE, PROJECT, RUNNING } from './entry.ts'

/** Commonly used server options. */
const COMMON_SERVER_OPTIONS = pickServerOptions(
  'sample',
  'port',
  'host',
  'dbPort',
  'dataDir',
  'configFile',
  'databaseUrl',
  'externalUrl',
  'tlsCertFile',
  'tlsKeyFile',
  'trustProxy',
  'logLevel',
  'json',
)

export const PROJECT_COMMANDS: readonly CommandEntry[] = [
  {
    words: 'init',
    group: 'Begin',
    summary: 'Create the folder of a project: supabase/config.toml, migrations, seed.sql',
    options: PLACE,
    accepts: options,
    run: async (input) => (await import('../init.ts')).init(input),
  },
  {
    words: 'start',
    summary: 'Start Postgres, the APIs and the app, until Ctrl-C',
    options: COMMON_SERVER_OPTIONS,
    accepts: options,
    examples: ['holdfast start --sample', 'holdfast start --host=0.0.0.0 --external-url=https://example.com'],
    run: async (input) => await (await import('../start.ts')).start(input),
  },
  {
    words: 'dev',
    argument: '[command...]',
    summary: 'Start the server, follow the project, and run a command with its address and keys',
    options: { types: devOptions.types, ...PROJECT },
    accepts: devDeclarations,
    examples: ['holdfast dev --types=src/database.types.ts -- vite'],
    run: async (input) => await (await import('../dev.ts')).dev(input),
  },
  {
    words: 'stop',
    summary: 'Stop the server of the data folder',
    options: PLACE,
    accepts: options,
    run: async (input) => await (await import('../stop.ts')).stop(input),
  },
  {
    words: 'status',
    summary: 'Show addresses, keys and versions of the running server',
    options: { ...statusOptions, ...PLACE },
    accepts: statusDeclarations,
    spellings: { '-o': 'output' },
    examples: ['holdfast status', 'holdfast status -o env'],
    run: async (input) => await (await import('../status.ts')).status(input),
  },
  {
    words: 'doctor',
    summary: 'Check everything that a server of this folder needs; exit code 1 on a problem',
    options: { ...doctorOptions, ...RUNNING },
    accepts: doctorDeclarations,
    examples: ['holdfast doctor', 'holdfast doctor --advise --fail-on=warning --json'],
    run: async (input) => await (await import('../doctor/doctor.ts')).doctor(input),
  },
]
