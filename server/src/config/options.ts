import { authOptions } from '@holdfast/auth'
import { flag, integer, list, type OptionDeclarations, type OptionValues, settings, text } from '@holdfast/foundation'
import { functionsOptions, schedulesOptions, webhooksOptions } from '@holdfast/functions'
import { realtimeOptions } from '@holdfast/realtime'
import { restOptions } from '@holdfast/rest'
import { storageOptions } from '@holdfast/storage'
import { syncOptions } from '@holdfast/sync'
import { digestOptions } from '../digest/options.ts'
import { pushOptions } from '../push/options.ts'
import {
  backupOptions,
  dbOptions,
  devOptions,
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
} from './command-options.ts'

/** Settings of the server itself. */
export const serverOptions = {
  host: text('The address to listen on; 0.0.0.0 serves everybody in the network.', { default: '127.0.0.1' }),
  port: integer('The port of the app and all APIs; 0 picks a free one.', { default: 54_321, min: 0, max: 65_535 }),
  dbPort: integer('The port of Postgres, on this machine only; 0 picks a free one.', {
    default: 54_322,
    min: 0,
    max: 65_535,
  }),
  dataDir: text('The folder that holds the database and its secrets. Made at the first start.', {
    default: '.holdfast',
  }),
  sample: flag('Fills a new database with a sample organisation and accounts to sign in with.', { default: false }),
  json: flag('Prints one line of JSON when ready, for scripts; everything else goes to stderr.', { default: false }),
  configFile: text('A JSON file with any of these settings, by the names in the first column. It need not exist.', {
    default: 'holdfast.config.json',
  }),
  databaseUrl: text(
    'An existing Postgres to use instead of the packaged one: postgres://user:password@host:port/database.',
    { env: 'DATABASE_URL', secret: true },
  ),
  postgresBin: text(
    'The folder of the programs of an installed Postgres 18 to run instead of the packaged one, for the extensions that it has: `/usr/lib/postgresql/18/bin`.',
  ),
  postgresSettings: list(
    'Settings of the packaged Postgres: `shared_buffers=1GB,work_mem=16MB`, `shared_preload_libraries=auto_explain`. Those that sync or safety depend on, such as wal_level and fsync, are refused with the reason.',
    { default: [] },
  ),
  externalUrl: text(
    'The address under which people reach this server, when a proxy is in front of it. Default: host and port; with `tlsCertFile` the first name of the certificate.',
  ),
  tlsCertFile: text(
    'A PEM file with the certificate of this server and those between it and the root (`fullchain.pem`): serves HTTPS instead of plain HTTP. Renewed files are used without a restart.',
  ),
  tlsKeyFile: text('The PEM file of the private key that belongs to `tlsCertFile`, without a passphrase.'),
  allowRequestsWithoutKey: flag('Whether a request without an API key counts as one with the anon key.', {
    default: false,
  }),
  corsOrigins: list(
    'The origins (`https://app.example.com`) whose pages may use the APIs from a browser; an empty list allows every one. No cookies are involved.',
    { default: [] },
  ),
  restSessionCheck: flag(
    'Whether REST refuses the tokens of sessions that have ended and of accounts that are banned or deleted, instead of when they expire. Sync always does.',
    { default: true },
  ),
  appSettings: settings(
    'Settings that functions and policies read with `current_setting`, by names that begin with `app.`: `{"app.settings.url": "https://example.com"}`. All requests of people have them, uploads too.',
    { default: {} },
  ),
  projectName: text('The name of the project, as the app shows it.', { default: 'Holdfast' }),
  openWorkspaces: flag(
    'Whether every user may start up to 3 workspaces in the app and create tables in them. Otherwise only the owner link that a start prints creates one, and invitations let users in.',
    { default: false },
  ),
  mapStyleUrl: text(
    'The address of a MapLibre style (`https://tiles.example.com/style.json`) that the app draws below records on a map. Default: none; the app draws lines of latitude and longitude itself.',
  ),
  mapDarkStyleUrl: text('The same for people who use the app dark. Default: `mapStyleUrl`.'),
  mapOrigins: list(
    'The origins (`https://fonts.example.com`) beside those of the styles that tiles, glyphs and sprites of the map come from. The app loads from no others.',
    { default: [] },
  ),
  jwtSecret: text(
    'Signs the API keys and verifies tokens of the project; at least 32 characters, or a JWK or JWK set, whose public keys verify tokens, too. Default: made at the first start and kept in the data folder.',
    { secret: true },
  ),
  mailbox: flag(
    'Whether captured mails and text messages are shown at `/mailbox`, while mails are captured: to browsers of this machine if only it is served, else for the service_role key.',
    { default: true },
  ),
  docs: flag('Whether the docs of Holdfast are shown at `/docs`, to everybody who reaches the server.', {
    default: true,
  }),
  metricsToken: text(
    'What Prometheus shows to read `/metrics` (`Authorization: Bearer`), and can do nothing else with. The service_role key does as well.',
    { secret: true },
  ),
  trustProxy: list(
    'The proxies in front whose x-forwarded-* and x-request-id headers are believed: addresses and networks (`loopback`, `10.0.0.0/8`), or one number of proxies in a row.',
    { default: [] },
  ),
  requestBodySilenceSeconds: integer(
    'How long nothing of a request body may come until it is given up: longer than a phone needs to change its network.',
    { default: 30, min: 1, max: 3_600 },
  ),
  requestBodyRateMin: integer(
    'Bytes per second that a request body has to come with on average, after its first minute: a tenth of the slowest phone networks.',
    { default: 128, min: 0, max: 1_000_000 },
  ),
  requestBodySeconds: integer('How long a request body may take as a whole; 4 MiB at 2.4 kB/s take 30 minutes.', {
    default: 1_800,
    min: 1,
    max: 86_400,
  }),
  slowBodiesPerAddressMax: integer(
    'Request bodies of one address that may be under way for longer than ten seconds at a time; many devices may share an address.',
    { default: 64, min: 1, max: 100_000 },
  ),
  requestBodyMemoryMax: integer(
    'MiB of all request bodies that may be in memory, of which no address has more than it leaves to others. Behind a proxy set `trustProxy`, or all have one address.',
    { default: 256, min: 32, max: 65_536 },
  ),
  requestConnectionsMax: integer('Connections to Postgres that serve requests of people.', {
    default: 20,
    min: 1,
    max: 500,
  }),
  closeSeconds: integer(
    'How long closing may take after the first signal, until the server ends anyway, with its Postgres. Container platforms commonly allow 30 seconds.',
    { default: 25, min: 1, max: 3_600 },
  ),
  logLevel: text('The least important messages that are logged: debug, info, warn or error.', { default: 'warn' }),
  logFormat: text('How lines are logged: text, or json with one object per line.', { default: 'text' }),
  logRequests: flag(
    'Whether every request is logged: its time, id, method, path, status, duration, user and bytes sent, without query strings, headers and bodies.',
    { default: false },
  ),
} satisfies OptionDeclarations

/** Settings of the project in the current folder. */
export const projectOptions = {
  migrationsDir: text('The folder of the project’s migrations, `<version>_<name>.sql`. It need not exist.', {
    default: 'supabase/migrations',
  }),
  projectMigrations: flag(
    'Whether a start applies the project’s migrations, its seeds when only this machine is served, and uses the settings and buckets of its `config.toml`.',
    { default: true },
  ),
} satisfies OptionDeclarations

/** All settings, each declared once by the part that uses it. */
export const options = {
  ...serverOptions,
  ...projectOptions,
  ...authOptions,
  ...restOptions,
  ...storageOptions,
  ...realtimeOptions,
  ...functionsOptions,
  ...webhooksOptions,
  ...pushOptions,
  ...digestOptions,
  ...schedulesOptions,
  ...syncOptions,
} satisfies OptionDeclarations

/** Server options grouped by the part that declares them, for help and reference. */
export interface OptionGroup {
  readonly title: string
  /** Its name in `holdfast options`. */
  readonly topic: string
  readonly options: OptionDeclarations
}

export const optionGroups: readonly OptionGroup[] = [
  { title: 'Server', topic: 'server', options: serverOptions },
  { title: 'Project', topic: 'project', options: projectOptions },
  { title: 'Accounts', topic: 'accounts', options: authOptions },
  { title: 'REST', topic: 'rest', options: restOptions },
  { title: 'Storage', topic: 'storage', options: storageOptions },
  { title: 'Realtime', topic: 'realtime', options: realtimeOptions },
  { title: 'Functions', topic: 'functions', options: functionsOptions },
  { title: 'Webhooks', topic: 'webhooks', options: webhooksOptions },
  { title: 'Notifications', topic: 'notifications', options: pushOptions },
  { title: 'Daily mail', topic: 'daily-mail', options: digestOptions },
  { title: 'Schedules', topic: 'schedules', options: schedulesOptions },
  { title: 'Sync', topic: 'sync', options: syncOptions },
]

/** Topics of the server options. */
export const TOPICS: readonly string[] = optionGroups.map(({ topic }) => topic)

/** Settings of commands that query a running server, which they locate like the server does. */
export const inspectDeclarations = { ...options, ...inspectOptions } satisfies OptionDeclarations

/** Settings of `functions logs` and `functions metrics`. */
export const functionsCommandDeclarations = {
  ...inspectDeclarations,
  ...functionsCommandOptions,
} satisfies OptionDeclarations

/** Settings of `backup` and `restore`, which locate the database and data folder like the server does. */
export const backupDeclarations = { ...options, ...backupOptions } satisfies OptionDeclarations

/** Settings of `dev`. */
export const devDeclarations = { ...options, ...devOptions } satisfies OptionDeclarations

/** Settings of `migration …`: which database, they find out as the server does. */
export const migrationDeclarations = { ...options, ...migrationOptions } satisfies OptionDeclarations

/** Settings of `db …`: which database, they find out as the server does. */
export const dbDeclarations = {
  ...migrationDeclarations,
  ...dbOptions,
  schema: genOptions.schema,
} satisfies OptionDeclarations

/** Settings of `storage …`: which database and files, they find out as the server does. */
export const storageDeclarations = { ...options, ...verifyOptions } satisfies OptionDeclarations

/** Settings of `gen types`: which database, and where the server is, it finds out as they do. */
export const genDeclarations = { ...inspectDeclarations, ...genOptions } satisfies OptionDeclarations

/** Settings of `secrets …`. */
export const secretsDeclarations = { ...options, ...secretsOptions } satisfies OptionDeclarations

/** Settings of `keys …`: which server, it finds out as `sync …` does. */
export const keysDeclarations = { ...inspectDeclarations, ...keysOptions } satisfies OptionDeclarations

/** Settings of `migrate`: which data folder, it finds out as the server does. */
export const migrateDeclarations = {
  ...options,
  ...migrateOptions,
  serviceKey: inspectOptions.serviceKey,
  dryRun: dbOptions.dryRun,
} satisfies OptionDeclarations

/** Settings of `export`: which database and files, it finds out as the server does. */
export const exportDeclarations = {
  ...options,
  ...exportOptions,
  storageUrl: migrateOptions.storageUrl,
  serviceKey: inspectOptions.serviceKey,
  dryRun: dbOptions.dryRun,
} satisfies OptionDeclarations

/** Settings of `test db`: which database, it finds out as the server does. */
export const testDeclarations = { ...options, ...testOptions } satisfies OptionDeclarations

/** Settings of `status`. */
export const statusDeclarations = { ...options, ...statusOptions } satisfies OptionDeclarations

export type SecretsConfig = OptionValues<typeof secretsDeclarations>
export type KeysConfig = OptionValues<typeof keysDeclarations>
export type GenConfig = OptionValues<typeof genDeclarations>
export type StorageConfig = OptionValues<typeof storageDeclarations>
export type MigrationConfig = OptionValues<typeof migrationDeclarations>
export type DbConfig = OptionValues<typeof dbDeclarations>
export type MigrateConfig = OptionValues<typeof migrateDeclarations>
export type TestConfig = OptionValues<typeof testDeclarations>
export type ExportConfig = OptionValues<typeof exportDeclarations>
export type BackupConfig = OptionValues<typeof backupDeclarations>

export type Config = OptionValues<typeof options>
export type InspectConfig = OptionValues<typeof inspectDeclarations>
