import type { OptionDeclarations } from '@holdfast/foundation'

/** Options of `dev` beyond the server's. */
export const devOptions = {
  types: {
    type: 'string',
    description: 'Keep the TypeScript types of the database in this file.',
  },
} satisfies OptionDeclarations

/** Options of `migration up` beyond the server's. */
export const migrationOptions = {
  includeAll: {
    type: 'boolean',
    default: false,
    description: 'Also apply migrations that are older than the last applied one.',
  },
} satisfies OptionDeclarations

/** Options of commands that query a running server. */
export const inspectOptions = {
  user: {
    type: 'string',
    description: 'The user: an id or an e-mail address.',
  },
  table: {
    type: 'string',
    description: 'The table: its name on devices, or schema.name.',
  },
  id: {
    type: 'string',
    description: 'The id of the row.',
  },
  all: {
    type: 'boolean',
    default: false,
    description: 'Also show the tables of Holdfast itself; always on with --json.',
  },
  apply: {
    type: 'boolean',
    default: false,
    description: 'Apply the files if everything in them syncs.',
  },
  url: {
    type: 'string',
    description:
      'The address of the running server. Default: that of the server on the data folder, else from externalUrl, host and port.',
  },
  serviceKey: {
    type: 'string',
    secret: true,
    description:
      'The service_role key of the running server; for `migrate` and `export`, of the other project. Default: made with jwtSecret or the secret in the data folder.',
  },
} satisfies OptionDeclarations

/** Options of `backup` and `restore` beyond the server's. */
export const backupOptions = {
  postgresTools: {
    type: 'string',
    description:
      'The folder of pg_dump, pg_dumpall, pg_restore and psql, for an external Postgres. Default: found by itself.',
  },
} satisfies OptionDeclarations

/** Options of `storage verify` beyond the server's. */
export const verifyOptions = {
  sizesOnly: {
    type: 'boolean',
    default: false,
    description: 'Compare sizes only, without reading the bytes.',
  },
} satisfies OptionDeclarations

/** Options of `gen types` beyond the server's. */
export const genOptions = {
  schema: {
    type: 'list',
    default: [],
    description:
      'Only these schemas. Default: for types those of restSchemas without `holdfast`, for a dump every schema of the project.',
  },
  lang: {
    type: 'string',
    default: 'typescript',
    description:
      '`typescript`: the module for supabase-js. `powersync`: the schema of a device, from a running server.',
  },
} satisfies OptionDeclarations

/** Options of `migrate` beyond the server's and the key of {@link inspectOptions}. */
export const migrateOptions = {
  from: {
    type: 'string',
    description:
      'The project to read: postgres://postgres:password@host:5432/postgres, directly or through the session pooler. HOLDFAST_FROM keeps it out of the shell history.',
  },
  storageUrl: {
    type: 'string',
    description:
      'Also copy files, from or to this project: https://<project>.supabase.co, with its service_role key in HOLDFAST_SERVICE_KEY.',
  },
} satisfies OptionDeclarations

/** Options of `export` beyond the server's, the key of {@link inspectOptions} and the URL of {@link migrateOptions}. */
export const exportOptions = {
  to: {
    type: 'string',
    description:
      'The target: postgres://postgres:password@host:5432/postgres of an empty project, or a new folder. HOLDFAST_TO keeps it out of the shell history.',
  },
  intoExisting: {
    type: 'boolean',
    default: false,
    description:
      'Write into a project that already has tables or users. Existing rows stay; a conflicting row cancels the export.',
  },
  onlyFiles: {
    type: 'boolean',
    default: false,
    description: 'Send only the files that the project of --storage-url lacks.',
  },
} satisfies OptionDeclarations

/** Options of `test db` beyond the server's. */
export const testOptions = {
  pgtap: {
    type: 'string',
    description: 'The folder with `pgtap.control` of an installed pgTAP. Default: found by itself.',
  },
} satisfies OptionDeclarations

/** Options of `status` beyond the server's. */
export const statusOptions = {
  output: {
    type: 'string',
    default: 'pretty',
    description: 'The form: pretty, json, or env (lines of NAME="value").',
  },
} satisfies OptionDeclarations

/** Options of `secrets set` beyond the server's. */
export const secretsOptions = {
  envFile: {
    type: 'string',
    description: 'Set every variable of this dotenv file.',
  },
} satisfies OptionDeclarations

/** Options of `keys` beyond the server's. */
export const keysOptions = {
  show: {
    type: 'boolean',
    default: false,
    description: 'Show whole API keys: on a terminal, or with --json.',
  },
  algorithm: {
    type: 'string',
    default: 'ES256',
    description: 'The algorithm: ES256 or RS256.',
  },
  atOnce: {
    type: 'boolean',
    default: false,
    description: 'Rotate although the key was added less than twenty minutes ago and verifiers may not know it yet.',
  },
} satisfies OptionDeclarations

/** Options of `functions logs` beyond the server's. */
export const functionsCommandOptions = {
  follow: {
    type: 'boolean',
    default: false,
    description: 'Keep printing new lines.',
  },
  lines: {
    type: 'integer',
    default: 100,
    min: 1,
    max: 10_000,
    description: 'How many earlier lines to print first.',
  },
  requestId: {
    type: 'string',
    description: 'Only lines of this request: the `sb-request-id` of its response.',
  },
} satisfies OptionDeclarations

/** Options of `db reset`, `db push`, `db pull` and `db dump` beyond the server's and the schemas of {@link genOptions}. */
export const dbOptions = {
  seed: {
    type: 'boolean',
    default: true,
    description: 'Do not apply the seeds.',
  },
  version: {
    type: 'string',
    description: 'The last migration to apply. Default: all. The next start applies the rest.',
  },
  yes: {
    type: 'boolean',
    default: false,
    description: 'Reset a server that other machines can reach.',
  },
  dryRun: {
    type: 'boolean',
    default: false,
    description: 'Show what would be done, and change nothing.',
  },
  includeSeed: {
    type: 'boolean',
    default: false,
    description: 'Also apply the seeds.',
  },
  file: {
    type: 'string',
    description: 'The file to write. Default: standard output.',
  },
  dataOnly: {
    type: 'boolean',
    default: false,
    description: 'Write rows instead of definitions.',
  },
  roleOnly: {
    type: 'boolean',
    default: false,
    description: 'Write the roles of the project instead of definitions.',
  },
  useCopy: {
    type: 'boolean',
    default: false,
    description: 'With --data-only: write `COPY`, which only psql loads, instead of `INSERT`.',
  },
  exclude: {
    type: 'list',
    default: [],
    description: 'With --data-only: leave out the rows of these tables (schema.table).',
  },
  keepComments: {
    type: 'boolean',
    default: false,
    description: 'Name each definition in a comment before it, as `pg_dump` does.',
  },
} satisfies OptionDeclarations
