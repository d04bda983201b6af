import { flag, integer, list, type OptionDeclarations, text } from '@holdfast/foundation'

/** Options of `dev` beyond the server's. */
export const devOptions = {
  types: text('Keep the TypeScript types of the database in this file.'),
} satisfies OptionDeclarations

/** Options of `migration up` beyond the server's. */
export const migrationOptions = {
  includeAll: flag('Also apply migrations that are older than the last applied one.', { default: false }),
} satisfies OptionDeclarations

/** Options of commands that query a running server. */
export const inspectOptions = {
  user: text('The user: an id or an e-mail address.'),
  table: text('The table: its name on devices, or schema.name.'),
  id: text('The id of the row.'),
  all: flag('Also show the tables of Holdfast itself; always on with --json.', { default: false }),
  apply: flag('Apply the files if everything in them syncs.', { default: false }),
  url: text(
    'The address of the running server. Default: that of the server on the data folder, else from externalUrl, host and port.',
  ),
  serviceKey: text(
    'The service_role key of the running server; for `migrate` and `export`, of the other project. Default: made with jwtSecret or the secret in the data folder.',
    { secret: true },
  ),
} satisfies OptionDeclarations

/** Options of `console invite` beyond the server's. */
export const consoleCommandOptions = {
  role: text('Role of the operator: `viewer`, `developer` or `owner`.', { default: 'developer' }),
} satisfies OptionDeclarations

/** Options of `backup` and `restore` beyond the server's. */
export const backupOptions = {
  postgresTools: text(
    'The folder of pg_dump, pg_dumpall, pg_restore and psql, for an external Postgres. Default: found by itself.',
  ),
} satisfies OptionDeclarations

/** Options of `storage verify` beyond the server's. */
export const verifyOptions = {
  sizesOnly: flag('Compare sizes only, without reading the bytes.', { default: false }),
} satisfies OptionDeclarations

/** Options of `gen types` beyond the server's. */
export const genOptions = {
  schema: list(
    'Only these schemas. Default: for types those of restSchemas without `holdfast`, for a dump every schema of the project.',
    { default: [] },
  ),
  lang: text('`typescript`: the module for supabase-js. `powersync`: the schema of a device, from a running server.', {
    default: 'typescript',
  }),
} satisfies OptionDeclarations

/** Options of `migrate` beyond the server's and the key of {@link inspectOptions}. */
export const migrateOptions = {
  from: text(
    'The project to read: postgres://postgres:password@host:5432/postgres, directly or through the session pooler. HOLDFAST_FROM keeps it out of the shell history.',
  ),
  storageUrl: text(
    'Also copy files, from or to this project: https://<project>.supabase.co, with its service_role key in HOLDFAST_SERVICE_KEY.',
  ),
} satisfies OptionDeclarations

/** Options of `export` beyond the server's, the key of {@link inspectOptions} and the URL of {@link migrateOptions}. */
export const exportOptions = {
  to: text(
    'The target: postgres://postgres:password@host:5432/postgres of an empty project, or a new folder. HOLDFAST_TO keeps it out of the shell history.',
  ),
  intoExisting: flag(
    'Write into a project that already has tables or users. Existing rows stay; a conflicting row cancels the export.',
    { default: false },
  ),
  onlyFiles: flag('Send only the files that the project of --storage-url lacks.', { default: false }),
} satisfies OptionDeclarations

/** Options of `test db` beyond the server's. */
export const testOptions = {
  pgtap: text('The folder with `pgtap.control` of an installed pgTAP. Default: found by itself.'),
} satisfies OptionDeclarations

/** Options of `doctor` beyond those of {@link inspectOptions}. */
export const doctorOptions = {
  advise: flag('Look for what slows the database down, exposes data or stops sync, instead of checking the start.', {
    default: false,
  }),
  failOn: text('With --advise, the least urgent advice that gives exit code 1: `error`, `warning` or `info`.', {
    default: 'error',
  }),
} satisfies OptionDeclarations

/** Options of `status` beyond the server's. */
export const statusOptions = {
  output: text('The form: pretty, json, or env (lines of NAME="value").', { default: 'pretty' }),
} satisfies OptionDeclarations

/** Options of `secrets set` beyond the server's. */
export const secretsOptions = {
  envFile: text('Set every variable of this dotenv file.'),
} satisfies OptionDeclarations

/** Options of `keys` beyond the server's. */
export const keysOptions = {
  show: flag('Show whole API keys: on a terminal, or with --json.', { default: false }),
  algorithm: text('The algorithm: ES256 or RS256.', { default: 'ES256' }),
  atOnce: flag('Rotate although the key was added less than twenty minutes ago and verifiers may not know it yet.', {
    default: false,
  }),
} satisfies OptionDeclarations

/** Options of `functions logs` beyond the server's. */
export const functionsCommandOptions = {
  follow: flag('Keep printing new lines.', { default: false }),
  lines: integer('How many earlier lines to print first.', { default: 100, min: 1, max: 10_000 }),
  requestId: text('Only lines of this request: the `sb-request-id` of its response.'),
} satisfies OptionDeclarations

/** Options of `db reset`, `db push`, `db pull` and `db dump` beyond the server's and the schemas of {@link genOptions}. */
export const dbOptions = {
  seed: flag('Do not apply the seeds.', { default: true }),
  version: text('The last migration to apply. Default: all. The next start applies the rest.'),
  yes: flag('Reset a server that other machines can reach.', { default: false }),
  dryRun: flag('Show what would be done, and change nothing.', { default: false }),
  includeSeed: flag('Also apply the seeds.', { default: false }),
  file: text('The file to write. Default: standard output.'),
  dataOnly: flag('Write rows instead of definitions.', { default: false }),
  roleOnly: flag('Write the roles of the project instead of definitions.', { default: false }),
  useCopy: flag('With --data-only: write `COPY`, which only psql loads, instead of `INSERT`.', { default: false }),
  exclude: list('With --data-only: leave out the rows of these tables (schema.table).', { default: [] }),
  keepComments: flag('Name each definition in a comment before it, as `pg_dump` does.', { default: false }),
} satisfies OptionDeclarations
