import { HoldfastError, errorMessage } from '@holdfast/foundation'
import { openQuietClient } from '@holdfast/postgres'
import { PLATFORM_ROLES, PLATFORM_SCHEMAS, PLATFORM_TABLES } from './hosted-schemas.ts'
import { LIST_QUEUES, type Queue } from './queues.ts'

/** Timeout in ms of a silent statement; counting a large table takes time. */
export const SILENCE_MS = 120_000

type Client = Awaited<ReturnType<typeof openQuietClient>>

/** A table whose rows are migrated. */
export interface SourceTable {
  readonly schema: string
  readonly name: string
  /** In order, without generated columns. */
  readonly columns: readonly string[]
  /** Planner estimate; negative if never analyzed. */
  readonly rows: number
}

/** Snapshot of a project's contents. */
export interface Inventory {
  readonly version: string
  readonly database: string
  readonly isHoldfast: boolean
  readonly schemas: readonly string[]
  readonly extensions: readonly { readonly name: string; readonly schema: string }[]
  readonly roles: readonly string[]
  readonly memberships: readonly { readonly role: string; readonly member: string }[]
  readonly tables: readonly SourceTable[]
  readonly sequences: readonly { readonly schema: string; readonly name: string; readonly value: string }[]
  readonly views: readonly { readonly schema: string; readonly name: string }[]
  /** Published tables, except those of publications that hosted projects do not have by default. */
  readonly published: readonly { readonly schema: string; readonly name: string }[]
  readonly otherPublications: readonly string[]
  readonly eventTriggers: readonly string[]
  readonly foreignServers: readonly string[]
  readonly largeObjects: number
  readonly jobs: readonly Job[]
  /** pgmq queues. */
  readonly queues: readonly Queue[]
  readonly secrets: readonly { readonly name: string | null; readonly description: string; readonly secret: string }[]
  /** Objects that the URL's role cannot read. */
  readonly unreadable: readonly { readonly what: string; readonly why: string }[]
}

export interface Job {
  readonly jobname: string | null
  readonly schedule: string
  readonly command: string
  readonly active: boolean
}

/** A consistent snapshot of a project, read in read-only transactions. */
export interface Source extends AsyncDisposable {
  readonly inventory: Inventory
  readonly snapshot: string
  /** Opens another connection with the same snapshot. */
  connect(): Promise<Client>
}

const READ_ONLY = 'begin isolation level repeatable read read only'

/** Formats that every Postgres version reads. */
const FORMS = `set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 3; set bytea_output = 'hex';
set client_encoding = 'UTF8'; set row_security = off; set timezone = 'UTC'; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0;
set search_path = ''`

/**
 * @param applicationName - shown in `pg_stat_activity`
 * @throws {HoldfastError} `option_invalid`, `migrate_source_unreachable`, without the URL's password
 */
export async function openSource(url: string, applicationName = 'holdfast migrate'): Promise<Source> {
  const client = await openQuietClient(readAddress(url), applicationName).catch((error: unknown) => {
    throw unreachable(url, error)
  })
  try {
    await client.query(READ_ONLY)
    await client.query(FORMS)
    const [row] = (await client.query<{ snapshot: string }>('select pg_catalog.pg_export_snapshot() as snapshot')).rows
    const snapshot = row?.snapshot ?? ''
    const inventory = await takeInventory(client)
    return {
      inventory,
      snapshot,
      async connect() {
        const further = await openQuietClient(url, applicationName)
        try {
          await further.query(READ_ONLY)
          await further.query(`set transaction snapshot '${snapshot}'`)
          await further.query(FORMS)
          return further
        } catch (error) {
          await further.end().catch(() => undefined)
          throw error
        }
      },
      [Symbol.asyncDispose]: () => client.end().catch(() => undefined), // possibly broken already
    }
  } catch (error) {
    await client.end().catch(() => undefined)
    throw unreachable(url, error)
  }
}

function readAddress(url: string): string {
  if (URL.canParse(url) && /^postgres(?:ql)?:$/.test(new URL(url).protocol)) return url
  throw new HoldfastError('option_invalid', 500, 'That is no connection string.', {
    hint: 'It has the form postgres://user:password@host:port/database. Special characters of the password are percent-encoded.',
  })
}

function unreachable(url: string, cause: unknown): HoldfastError {
  const detail = errorMessage(cause)
  return new HoldfastError('migrate_source_unreachable', 500, `The project at ${new URL(url).host} cannot be read.`, {
    detail,
    hint: 'Use the direct connection or the session pooler, as the role postgres: a transaction pooler keeps no snapshot.',
    cause,
  })
}

/** Runs statements on one connection. */
class Reader {
  readonly #client: Client
  readonly unreadable: { what: string; why: string }[] = []

  constructor(client: Client) {
    this.#client = client
  }

  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>(text, [...values])).rows
  }

  /** Returns column `name` of each row. */
  async list(text: string): Promise<string[]> {
    return (await this.rows<{ name: string }>(text)).map(({ name }) => name)
  }

  /** Queries an object that may be absent or inaccessible. */
  async optional<Row extends object>(what: string, relation: string, text: string): Promise<Row[]> {
    const [found] = await this.rows<{ is: boolean }>('select pg_catalog.to_regclass($1) is not null as is', [relation])
    if (found?.is !== true) return []
    await this.#client.query('savepoint optional')
    try {
      return await this.rows<Row>(text)
    } catch (error) {
      await this.#client.query('rollback to savepoint optional')
      this.unreadable.push({ what, why: errorMessage(error) })
      return []
    }
  }
}

async function takeInventory(client: Client): Promise<Inventory> {
  const reader = new Reader(client)
  const [server] = await reader.rows<{ version: string; database: string; is: boolean }>(
    `select current_setting('server_version') as version, current_database() as database, pg_catalog.to_regclass('holdfast.settings') is not null as is`,
  )
  const schemas = await reader.rows<{ name: string }>(
    `select n.nspname as name from pg_catalog.pg_namespace n where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and n.nspname <> all($1)
       and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_namespace'::regclass and d.objid = n.oid and d.deptype = 'e') order by 1`,
    [PLATFORM_SCHEMAS],
  )
  const names = schemas.map(({ name }) => name)
  return {
    version: server?.version ?? '',
    database: server?.database ?? '',
    isHoldfast: server?.is === true,
    schemas: names,
    ...(await readGround(reader)),
    ...(await readRelations(reader, names)),
    ...(await readGaps(reader)),
    ...(await readPlatform(reader)),
    unreadable: reader.unreadable,
  }
}

async function readGround(reader: Reader): Promise<Pick<Inventory, 'extensions' | 'roles' | 'memberships'>> {
  return {
    extensions: await reader.rows(
      `select e.extname as name, n.nspname as schema from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname <> 'plpgsql' order by 1`,
    ),
    roles: (await reader.list('select rolname as name from pg_catalog.pg_roles order by 1')).filter(
      (name) => !PLATFORM_ROLES.test(name),
    ),
    memberships: await reader.rows(
      `select r.rolname as role, m.rolname as member from pg_catalog.pg_auth_members a join pg_catalog.pg_roles r on r.oid = a.roleid join pg_catalog.pg_roles m on m.oid = a.member`,
    ),
  }
}

async function readRelations(
  reader: Reader,
  names: readonly string[],
): Promise<Pick<Inventory, 'tables' | 'sequences' | 'views' | 'published'>> {
  const inSchemas = `n.nspname = any($1) and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`
  // Includes a queue's messages even if its tables belong to the extension.
  const isQueue = `n.nspname = 'pgmq' and c.relname ~ '^[aq]_'`
  return {
    tables: await reader.rows(
      `select n.nspname as schema, c.relname as name, c.reltuples::float8 as rows,
          coalesce((select array_agg(a.attname::text order by a.attnum) from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''), '{}') as columns
         from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and ((${inSchemas}) or (${isQueue}) or n.nspname || '.' || c.relname = any($2))
        order by array_position($2, n.nspname || '.' || c.relname), 1, 2`,
      [names, PLATFORM_TABLES],
    ),
    sequences: await reader.rows(
      `select schemaname as schema, sequencename as name, last_value::text as value from pg_catalog.pg_sequences
        where last_value is not null and (schemaname = any($1) or (schemaname = 'auth' and sequencename = 'refresh_tokens_id_seq'))`,
      [names],
    ),
    views: await reader.rows(
      `select n.nspname as schema, c.relname as name from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'm' and c.relispopulated and ${inSchemas}`,
      [names],
    ),
    published: await reader.rows(
      `select schemaname as schema, tablename as name from pg_catalog.pg_publication_tables where pubname = 'supabase_realtime' and schemaname = any($1)`,
      [names],
    ),
  }
}

async function readGaps(
  reader: Reader,
): Promise<Pick<Inventory, 'otherPublications' | 'eventTriggers' | 'foreignServers' | 'largeObjects'>> {
  return {
    otherPublications: await reader.list(
      `select pubname as name from pg_catalog.pg_publication where pubname not in ('supabase_realtime', 'supabase_realtime_messages_publication') and pubname not like 'holdfast%'`,
    ),
    eventTriggers: await reader.list(
      `select t.evtname as name from pg_catalog.pg_event_trigger t join pg_catalog.pg_proc p on p.oid = t.evtfoid join pg_catalog.pg_namespace n on n.oid = p.pronamespace where n.nspname !~ '^(pg_|extensions$|graphql|holdfast|sync|auth|storage|realtime|net|cron)'`,
    ),
    foreignServers: await reader.list('select srvname as name from pg_catalog.pg_foreign_server'),
    largeObjects: (await reader.rows('select 1 from pg_catalog.pg_largeobject_metadata limit 1000')).length,
  }
}

async function readPlatform(reader: Reader): Promise<Pick<Inventory, 'jobs' | 'queues' | 'secrets'>> {
  return {
    jobs: await reader.optional<Job>(
      'Jobs of cron',
      'cron.job',
      `select jobname, schedule, command, active from cron.job where database = current_database() order by jobid`,
    ),
    queues: await reader.optional<Queue>('Queues of pgmq', 'pgmq.meta', LIST_QUEUES),
    secrets: await reader.optional(
      'Secrets of the vault',
      'vault.decrypted_secrets',
      `select name, description, decrypted_secret as secret from vault.decrypted_secrets where decrypted_secret is not null order by created_at`,
    ),
  }
}
