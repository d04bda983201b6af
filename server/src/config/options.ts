import { authOptions } from '@holdfast/auth'
import { consoleOptions } from '@holdfast/console'
import { flag, integer, list, type OptionDeclarations, type OptionValues, settings, text } from '@holdfast/foundation'
import { functionsOptions, schedulesOptions, webhooksOptions } from '@holdfast/functions'
import { realtimeOptions } from '@holdfast/realtime'
import { restOptions } from '@holdfast/rest'
import { storageOptions } from '@holdfast/storage'
import { syncOptions } from '@holdfast/sync'
import { automationsOptions } from '../automations/options.ts'
import { digestOptions } from '../digest/options.ts'
import { pushOptions } from '../push/options.ts'
import {
  backupOptions,
  consoleCommandOptions,
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
  doctorOptions,
  statusOptions,
  testOptions,
  verifyOptions,
} from './command-options.ts'

/** Settings of the server itself. */
export const serverOptions = {
  host: text('Address to listen on; 0.0.0.0 serves the whole network.', { default: '127.0.0.1' }),
  port: integer('Port of the app and all APIs; 0 picks a free one.', { default: 54_321, min: 0, max: 65_535 }),
  dbPort: integer('Port of Postgres, on this machine only; 0 picks a free one.', {
    default: 54_322,
    min: 0,
    max: 65_535,
  }),
  dataDir: text('Folder of the database and its secrets, created at the first start.', {
    default: '.holdfast',
  }),
  sample: flag('Fills a new database with a sample organisation and accounts.', { default: false }),
  json: flag('Prints one line of JSON when ready; everything else goes to stderr.', { default: false }),
  configFile: text('JSON file with any of these settings. May not exist.', {
    default: 'holdfast.config.json',
  }),
  databaseUrl: text(
    'Existing Postgres to use instead of the packaged one: postgres://user:password@host:port/database.',
    { env: 'DATABASE_URL', secret: true },
  ),
  databaseReplicaUrl: text(
    'Physical replica of `databaseUrl` that downloads of devices are read from while it has all they need: postgres://user:password@host:port/database. Otherwise they are read from `databaseUrl`.',
    { env: 'DATABASE_REPLICA_URL', secret: true },
  ),
  natsUrl: text(
    'NATS that carries channel messages between the servers of `databaseUrl` instead of Postgres: nats://host:4222 or tls://user:password@host:4222; several with commas.',
    { env: 'NATS_URL', secret: true },
  ),
  postgresBin: text(
    'Program folder of an installed Postgres 18 to run instead of the packaged one, for its extensions: `/usr/lib/postgresql/18/bin`.',
  ),
  postgresSettings: list(
    'Settings of the packaged Postgres: `shared_buffers=1GB,work_mem=16MB`. Those that sync or safety depend on, such as wal_level and fsync, are refused.',
    { default: [] },
  ),
  externalUrl: text(
    'Public URL of this server behind a proxy. Default: host and port; with `tlsCertFile` the first name in the certificate.',
  ),
  tlsCertFile: text(
    'PEM file with the certificate chain of this server (`fullchain.pem`): serves HTTPS instead of HTTP. Renewed files are used without a restart.',
  ),
  tlsKeyFile: text('PEM file with the private key of `tlsCertFile`, without a passphrase.'),
  allowRequestsWithoutKey: flag('Treats requests without an API key like requests with the anon key.', {
    default: false,
  }),
  corsOrigins: list(
    'Origins (`https://app.example.com`) whose pages may use the APIs; empty allows all. No cookies are involved.',
    { default: [] },
  ),
  restSessionCheck: flag(
    'Whether REST refuses tokens of ended sessions and of banned or deleted accounts before they expire. Sync always does.',
    { default: true },
  ),
  appSettings: settings(
    'Settings that functions and policies read with `current_setting`, with names starting with `app.`: `{"app.settings.url": "https://example.com"}`. Set for all user requests, including uploads.',
    { default: {} },
  ),
  projectName: text('Name of the project in the app.', { default: 'Holdfast' }),
  openWorkspaces: flag(
    'Whether every user may create up to 3 workspaces, and tables in them. Otherwise only the owner link printed at the start creates one.',
    { default: false },
  ),
  formCaptcha: text(
    'Captcha of public forms that ask for one: `work`, a computation on the visitor’s device, or `provider`, that of `captchaProvider`.',
    { default: 'work' },
  ),
  mapStyleUrl: text(
    'MapLibre style (`https://tiles.example.com/style.json`) for map backgrounds. Default: a grid of latitude and longitude.',
  ),
  mapDarkStyleUrl: text('Map style in dark mode. Default: `mapStyleUrl`.'),
  mapOrigins: list(
    'Origins (`https://fonts.example.com`) of tiles, glyphs and sprites, besides those of the styles. The app loads from no others.',
    { default: [] },
  ),
  jwtSecret: text(
    'Signs API keys and verifies tokens: at least 32 characters, a JWK or a JWK set, whose public keys also verify. Default: created at the first start, in the data folder.',
    { secret: true },
  ),
  mailbox: flag(
    'Shows captured mails and text messages at `/mailbox`: to browsers on this machine if only it is served, otherwise to holders of the service_role key.',
    { default: true },
  ),
  docs: flag('Shows these docs at `/docs`.', {
    default: true,
  }),
  metricsToken: text(
    'Bearer token that Prometheus uses for `/metrics`, and that permits nothing else. The service_role key works too.',
    { secret: true },
  ),
  trustProxy: list(
    'Proxies whose x-forwarded-* and x-request-id headers are trusted: addresses and networks (`loopback`, `10.0.0.0/8`), or the number of proxies in a row.',
    { default: [] },
  ),
  requestBodySilenceSeconds: integer(
    'Seconds without data before a request body is cut off. A phone that changes networks needs some.',
    { default: 30, min: 1, max: 3_600 },
  ),
  requestBodyRateMin: integer('Minimum average bytes per second of a request body after its first minute.', {
    default: 128,
    min: 0,
    max: 1_000_000,
  }),
  requestBodySeconds: integer('Maximum seconds for a whole request body; 4 MiB at 2.4 kB/s take 30 minutes.', {
    default: 1_800,
    min: 1,
    max: 86_400,
  }),
  slowBodiesPerAddressMax: integer(
    'Maximum request bodies per address that take longer than ten seconds; many devices may share an address.',
    { default: 64, min: 1, max: 100_000 },
  ),
  requestBodyMemoryMax: integer(
    'Maximum MiB of all request bodies in memory. One address never has more than it leaves to others; behind a proxy set `trustProxy`.',
    { default: 256, min: 32, max: 65_536 },
  ),
  requestConnectionsMax: integer('Connections to Postgres for user requests.', {
    default: 20,
    min: 1,
    max: 500,
  }),
  closeSeconds: integer(
    'Maximum seconds for closing after a signal; then the server and its Postgres are killed. Container platforms commonly allow 30.',
    { default: 25, min: 1, max: 3_600 },
  ),
  logLevel: text('Minimum level of logged messages: debug, info, warn or error.', { default: 'warn' }),
  logFormat: text('Log format: text, or json with one object per line.', { default: 'text' }),
  logRequests: flag(
    'Logs each request: time, id, method, path, status, duration, user and bytes sent; no query strings, headers or bodies.',
    { default: false },
  ),
} satisfies OptionDeclarations

/** Settings of the project in the current folder. */
export const projectOptions = {
  migrationsDir: text('Folder of the project’s migrations, `<version>_<name>.sql`. May not exist.', {
    default: 'supabase/migrations',
  }),
  projectMigrations: flag(
    'Whether a start applies the project’s migrations, its seeds if only this machine is served, and the settings and buckets of its `config.toml`.',
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
  ...automationsOptions,
  ...schedulesOptions,
  ...syncOptions,
  ...consoleOptions,
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
  { title: 'Automations', topic: 'automations', options: automationsOptions },
  { title: 'Schedules', topic: 'schedules', options: schedulesOptions },
  { title: 'Sync', topic: 'sync', options: syncOptions },
  { title: 'Console', topic: 'console', options: consoleOptions },
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

/** Settings of `console …`: which database, they find out as the server does. */
export const consoleDeclarations = { ...options, ...consoleCommandOptions } satisfies OptionDeclarations

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

/** Settings of `doctor`: which database, and where the server is, it finds out as they do. */
export const doctorDeclarations = { ...inspectDeclarations, ...doctorOptions } satisfies OptionDeclarations

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
export type DoctorConfig = OptionValues<typeof doctorDeclarations>
export type InspectConfig = OptionValues<typeof inspectDeclarations>
