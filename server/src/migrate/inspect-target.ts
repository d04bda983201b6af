import { HoldfastError, errorMessage } from '@holdfast/foundation'
import { openWatchedClient, quoteIdentifier } from '@holdfast/postgres'
import { PLATFORM_TABLES } from './hosted-schemas.ts'
import { IS_TAKEN } from './script-parts.ts'
import { SILENCE_MS, type Inventory, type Source } from './source.ts'
import type { LeftOut } from './report.ts'
import { KEPT_OF_FILES } from './write-folder.ts'

const APPLICATION = 'holdfast export'

/** State of the migration target. */
export interface TargetState {
  readonly version: string
  /** Whether it contains a project already. */
  readonly isTaken: boolean
  /** Parts that cannot be migrated there. */
  readonly leftOut: readonly LeftOut[]
}

/** @throws {HoldfastError} `export_target_unreachable`, `export_target_unsuitable`; never including the URL's password */
export async function inspectTarget(
  url: string,
  { tables }: Inventory,
  extensions: Inventory['extensions'],
): Promise<TargetState> {
  await using opened = await openWatchedClient(url, APPLICATION, SILENCE_MS).catch((error: unknown) => {
    throw unreachable(url, error)
  })
  const rows = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await opened.client.query<Row>(text, [...values])).rows
  const [server] = await rows<{ version: string; has: boolean }>(
    `select current_setting('server_version') as version, to_regclass('auth.users') is not null and to_regclass('storage.buckets') is not null as has`,
  )
  if (server?.has !== true) throw unsuitable(url)
  const [taken] = await rows<{ is: boolean }>(`select ${IS_TAKEN} as is`)
  const available = await rows<{ name: string }>(`select name::text as name from pg_catalog.pg_available_extensions`)
  const columns = await rows<{ of: string; column: string }>(
    `select n.nspname || '.' || c.relname as of, a.attname::text as column from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname || '.' || c.relname = any($1) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
    [PLATFORM_TABLES],
  )
  return {
    version: server.version,
    isTaken: taken?.is === true,
    leftOut: [
      ...extensions
        .filter(({ name }) => !available.some((one) => one.name === name))
        .map(({ name }) => ({ what: `Extension ${name}`, why: 'the target does not have it' })),
      ...tables
        .filter(({ schema, name }) => PLATFORM_TABLES.includes(`${schema}.${name}`))
        .flatMap(({ schema, name, columns: wanted, rows: estimate }) => {
          const there = columns.filter(({ of }) => of === `${schema}.${name}`)
          if (there.length === 0)
            return estimate === 0 ? [] : [{ what: `Rows of ${schema}.${name}`, why: 'the target has no such table' }]
          return wanted
            .filter((column) => !there.some((one) => one.column === column))
            .map((column) => ({ what: `Column ${schema}.${name}.${column}`, why: 'the target has no such column' }))
        }),
    ],
  }
}

export interface PutBack {
  readonly to: string
  readonly source: Source
  readonly ids: readonly string[]
}

/** Restores owner and times of files, because an upload recreates the row. */
export async function putFilesBack({ to, source, ids }: PutBack): Promise<void> {
  if (ids.length === 0) return
  const client = await source.connect()
  await using opened = await openWatchedClient(to, APPLICATION, SILENCE_MS)
  try {
    const { rows } = await client.query<{ row: unknown }>(
      'select to_jsonb(o) as row from storage.objects o where id = any($1)',
      [ids],
    )
    const { rows: there } = await opened.client.query<{ column: string }>(
      `select attname::text as column from pg_catalog.pg_attribute where attrelid = 'storage.objects'::regclass and attname = any($1) and not attisdropped and attgenerated = ''`,
      [KEPT_OF_FILES],
    )
    const [first] = rows as readonly { row: Record<string, unknown> }[]
    const kept = there.map(({ column }) => column).filter((column) => first !== undefined && column in first.row)
    const assignments = kept.map((column) => `${quoteIdentifier(column)} = w.${quoteIdentifier(column)}`).join(', ')
    await opened.client.query('begin')
    // Disables the trigger that sets updated_at.
    await opened.client.query('set local session_replication_role = replica')
    await opened.client.query(
      `update storage.objects o set ${assignments} from jsonb_populate_recordset(null::storage.objects, $1::jsonb) w where o.bucket_id = w.bucket_id and o.name = w.name`,
      [JSON.stringify(rows.map(({ row }) => row))],
    )
    await opened.client.query('commit')
  } finally {
    await client.end().catch(() => undefined) // possibly broken already
  }
}

function unreachable(url: string, cause: unknown): HoldfastError {
  return new HoldfastError(
    'export_target_unreachable',
    500,
    `The database at ${new URL(url).host} cannot be reached.`,
    {
      detail: errorMessage(cause),
      hint: 'Use the direct connection or the session pooler, as the role postgres.',
      cause,
    },
  )
}

function unsuitable(url: string): HoldfastError {
  return new HoldfastError(
    'export_target_unsuitable',
    500,
    `The database at ${new URL(url).host} has no schemas auth and storage.`,
    { hint: 'Make a project of Supabase first, hosted or your own, or export to a folder: --to=FOLDER.' },
  )
}
