import type { OptionDeclarations } from '@holdfast/foundation'

/** What `dev` takes beside the settings of the server. */
export const devOptions = {
  types: {
    type: 'string',
    description: 'The file in which `dev` keeps the TypeScript types of the database. Default: none.',
  },
} satisfies OptionDeclarations

/** What `migration up` takes beside the settings of the server. */
export const migrationOptions = {
  includeAll: {
    type: 'boolean',
    default: false,
    description: 'Whether `migration up` applies migrations that are older than what is applied already.',
  },
} satisfies OptionDeclarations

/** What the commands take that ask a running server. */
export const inspectOptions = {
  user: {
    type: 'string',
    description: 'Whom to look at: an id or an e-mail address.',
  },
  table: {
    type: 'string',
    description: 'Which table to look at, by its name on devices or as schema.name.',
  },
  id: {
    type: 'string',
    description: 'Which row to look at.',
  },
  all: {
    type: 'boolean',
    default: false,
    description:
      'Whether `sync status` and `sync coverage` show the tables of Holdfast itself as well. With `--json` they always have all tables.',
  },
  apply: {
    type: 'boolean',
    default: false,
    description: 'Whether `sync check` with files leaves them in force when everything is followed.',
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
      'The service_role key of the running server, for `migrate` and `export` of the other project. Default: one made with jwtSecret or the secret in the data folder.',
  },
} satisfies OptionDeclarations

/** What `backup` and `restore` take beside the settings of the server. */
export const backupOptions = {
  postgresTools: {
    type: 'string',
    description:
      'The folder of pg_dump, pg_dumpall, pg_restore and psql, for backups of an external Postgres. Default: they are looked for.',
  },
} satisfies OptionDeclarations

/** What `storage verify` takes beside the settings of the server. */
export const verifyOptions = {
  sizesOnly: {
    type: 'boolean',
    default: false,
    description: 'Whether `storage verify` compares sizes only, and does not read all bytes.',
  },
} satisfies OptionDeclarations

/** What `gen types` takes beside the settings of the server. */
export const genOptions = {
  schema: {
    type: 'list',
    default: [],
    description:
      'Of which schemas `gen types` writes the types, and `db dump` definitions or rows (`-s`). Default: those of restSchemas, without `holdfast`; for `db dump` all that are the project’s.',
  },
  lang: {
    type: 'string',
    default: 'typescript',
    description:
      'What `gen types` writes: `typescript`, the module for supabase-js, or `powersync`, the schema of a device, from a running server.',
  },
} satisfies OptionDeclarations

/** What `migrate` takes beside the settings of the server and the key of {@link inspectOptions}. */
export const migrateOptions = {
  from: {
    type: 'string',
    description:
      'The project that `migrate` reads: postgres://postgres:password@host:5432/postgres, by its direct address or session pooler. HOLDFAST_FROM keeps it out of the shell’s history.',
  },
  storageUrl: {
    type: 'string',
    description:
      'The address of the project whose files `migrate` copies, or to which `export` sends them: https://<project>.supabase.co. Its service_role key is HOLDFAST_SERVICE_KEY.',
  },
} satisfies OptionDeclarations

/** What `export` takes beside the settings of the server, the key of {@link inspectOptions} and the address of {@link migrateOptions}. */
export const exportOptions = {
  to: {
    type: 'string',
    description:
      'Where `export` writes: postgres://postgres:password@host:5432/postgres of an empty project, or a folder that does not exist. HOLDFAST_TO keeps it out of the shell’s history.',
  },
  intoExisting: {
    type: 'boolean',
    default: false,
    description:
      'Whether `export` writes into a project that has tables or users already. What is there stays; one row that is there twice ends all of it.',
  },
  onlyFiles: {
    type: 'boolean',
    default: false,
    description: 'Whether `export` sends only files, those that the project of `--storage-url` does not have.',
  },
} satisfies OptionDeclarations

/** What `test db` takes beside the settings of the server. */
export const testOptions = {
  pgtap: {
    type: 'string',
    description:
      'The folder with `pgtap.control` of an installed pgTAP, which `test db` lends to the packaged Postgres. Default: it is looked for.',
  },
} satisfies OptionDeclarations

/** What `status` takes beside the settings of the server. */
export const statusOptions = {
  output: {
    type: 'string',
    default: 'pretty',
    description: 'How `status` writes (`-o`): pretty, json, or env, lines of NAME="value".',
  },
} satisfies OptionDeclarations

/** What `secrets set` takes beside the settings of the server. */
export const secretsOptions = {
  envFile: {
    type: 'string',
    description: 'A file as of dotenv, whose variables `secrets set` takes over (`--env-file=FILE`).',
  },
} satisfies OptionDeclarations

/** What `keys` takes beside the settings of the server. */
export const keysOptions = {
  show: {
    type: 'boolean',
    default: false,
    description: 'Whether `keys` shows API keys whole: on a terminal, or with `--json`.',
  },
  algorithm: {
    type: 'string',
    default: 'ES256',
    description: 'What a key of `keys add` signs with: ES256 or RS256.',
  },
  atOnce: {
    type: 'boolean',
    default: false,
    description:
      'Whether `keys rotate` signs with a key that others may not know yet, instead of twenty minutes after it was added.',
  },
} satisfies OptionDeclarations

/** What `functions logs` takes beside the settings of the server. */
export const functionsCommandOptions = {
  follow: {
    type: 'boolean',
    default: false,
    description: 'Whether `functions logs` goes on with the lines to come (`-f`).',
  },
  lines: {
    type: 'integer',
    default: 100,
    min: 1,
    max: 10_000,
    description: 'How many lines `functions logs` begins with (`-n`).',
  },
  requestId: {
    type: 'string',
    description: 'Of which request `functions logs` shows the lines: the `sb-request-id` of its answer.',
  },
} satisfies OptionDeclarations

/** What `db reset`, `db push`, `db pull` and `db dump` take beside the settings of the server, and the schemas of {@link genOptions}. */
export const dbOptions = {
  seed: {
    type: 'boolean',
    default: true,
    description: 'Whether `db reset` applies the seeds of the project.',
  },
  version: {
    type: 'string',
    description:
      'The version of the last migration that `db reset` applies. Default: all. The next start applies the rest.',
  },
  yes: {
    type: 'boolean',
    default: false,
    description: 'Whether `db reset` resets a server that others reach as well.',
  },
  dryRun: {
    type: 'boolean',
    default: false,
    description: 'Whether `db push`, `db dump`, `migrate` and `export` only say what they would do.',
  },
  includeSeed: {
    type: 'boolean',
    default: false,
    description: 'Whether `db push` applies the seeds as well.',
  },
  file: {
    type: 'string',
    description: 'The file that `db dump` writes (`-f`). Default: standard output.',
  },
  dataOnly: {
    type: 'boolean',
    default: false,
    description: 'Whether `db dump` writes rows instead of definitions.',
  },
  roleOnly: {
    type: 'boolean',
    default: false,
    description: 'Whether `db dump` writes the roles of the project instead of definitions.',
  },
  useCopy: {
    type: 'boolean',
    default: false,
    description: 'Whether `db dump --data-only` writes `COPY`, which only psql loads, instead of `INSERT`.',
  },
  exclude: {
    type: 'list',
    default: [],
    description: 'Tables, as schema.table, whose rows `db dump --data-only` leaves out (`-x`).',
  },
  keepComments: {
    type: 'boolean',
    default: false,
    description: 'Whether `db dump` names each definition in a comment before it, as `pg_dump` does.',
  },
} satisfies OptionDeclarations
