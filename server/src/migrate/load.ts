import { errorMessage } from '@holdfast/foundation'
import { type WatchedClient, copyIn, copyOut, openWatchedClient, quoteIdentifier, quoteName } from '@holdfast/postgres'
import { closingOf, nameOf, readDefinitions, readPlatformDefinitions } from './definitions.ts'
import type { DumpEntry } from './entries.ts'
import { queuesToMake, renderQueue } from './queues.ts'
import { SILENCE_MS, type Inventory, type Source, type SourceTable } from './source.ts'
import type { LeftOut } from './report.ts'

type Client = WatchedClient['client']

export interface LoadOptions {
  readonly source: Source
  readonly sourceUrl: string
  /** URL of the new database as the project's role, which limits the rights of loaded code. */
  readonly targetUrl: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Definitions omitted without an attempt, named as by {@link nameOf}. */
  readonly refused?: ReadonlySet<string>
  /** Extensions in addition to the source's. */
  readonly extensions?: Inventory['extensions']
  /** Whether file versions that are invalid here stay unchanged, because the target server assigns its own. */
  readonly keepsVersions?: boolean
  readonly progress: (line: string) => void
}

export interface Loaded {
  readonly tables: number
  readonly rows: number
  readonly policies: number
  readonly functions: number
  readonly jobs: number
  readonly vaultSecrets: number
  readonly leftOut: readonly LeftOut[]
}

const IS_PUBLIC_SCHEMA = 'SCHEMA public'

/**
 * Fills a new database from another project in one transaction: definitions, rows, then indexes, constraints, triggers and policies. Omits and reports
 * definitions that Postgres rejects; any other failure rolls back everything.
 */
export async function loadDatabase(options: LoadOptions): Promise<Loaded> {
  await using opened = await openWatchedClient(options.targetUrl, options.applicationName, SILENCE_MS)
  const target = opened.client
  await target.query('begin')
  await target.query(
    `set local check_function_bodies = off; set local search_path = ''; set local statement_timeout = 0; set local lock_timeout = 0; set local timezone = 'UTC'`,
  )
  const loaded = await new Loader(target, options).load()
  await target.query('commit')
  return loaded
}

interface TryOptions {
  readonly values?: readonly unknown[]
  /** Suppresses reporting a failure. */
  readonly isQuiet?: boolean
}

class Loader {
  readonly #target: Client
  readonly #options: LoadOptions
  readonly #inventory: Inventory
  readonly #leftOut: LeftOut[] = []
  /** Whether the last failing definition exists already. */
  #isThere = false
  #policies = 0
  #functions = 0

  constructor(target: Client, options: LoadOptions) {
    this.#target = target
    this.#options = options
    this.#inventory = options.source.inventory
  }

  async load(): Promise<Loaded> {
    const { progress } = this.#options
    const { schemas, tables } = this.#inventory
    await this.#makeGround()
    const own = schemas.map((schema) => `--schema=${quoteIdentifier(schema)}`)
    progress('reading the definitions')
    if (own.length > 0) await this.#applyAll(await readDefinitions(this.#options, ['--section=pre-data', ...own]))
    let [loaded, rows] = [0, 0]
    await this.#target.query('set local session_replication_role = replica')
    for (const table of tables) {
      const copied = await this.#copy(table)
      if (copied === undefined) continue
      loaded++
      rows += copied
    }
    await this.#target.query('set local session_replication_role = origin')
    await this.#setSequences()
    progress('making indexes, constraints, triggers and policies')
    if (own.length > 0) await this.#applyAll(await readDefinitions(this.#options, ['--section=post-data', ...own]))
    await this.#applyAll(await readPlatformDefinitions(this.#options))
    await this.#finish()
    const jobs = await this.#schedule()
    const vaultSecrets = await this.#keepSecrets()
    return {
      tables: loaded,
      rows,
      policies: this.#policies,
      functions: this.#functions,
      jobs,
      vaultSecrets,
      leftOut: this.#leftOut,
    }
  }

  /** Creates roles and extensions, which schema dumps do not contain. */
  async #makeGround(): Promise<void> {
    const { roles, memberships, extensions, schemas } = this.#inventory
    const { rows } = await this.#target.query<{ role: string }>('select rolname as role from pg_catalog.pg_roles')
    const known = new Set(rows.map(({ role }) => role))
    for (const role of roles.filter((one) => !known.has(one))) {
      const isMade = await this.#try(`Role ${role}`, `create role ${quoteIdentifier(role)} nologin`)
      if (isMade) this.#tell(`Login of role ${role}`, 'passwords of roles cannot be read; it was made without a login')
    }
    for (const { role, member } of memberships)
      if (roles.includes(role) || roles.includes(member))
        await this.#try(
          `Membership of ${member} in ${role}`,
          `grant ${quoteIdentifier(role)} to ${quoteIdentifier(member)}`,
        )
    for (const schema of schemas)
      await this.#try(`Schema ${schema}`, `create schema if not exists ${quoteIdentifier(schema)}`)
    for (const { name: extension, schema } of [...extensions, ...(this.#options.extensions ?? [])])
      await this.#try(
        `Extension ${extension}`,
        `create extension if not exists ${quoteIdentifier(extension)} with schema ${quoteIdentifier(schema)}`,
      )
    await this.#makeQueues(true)
    await this.#revokeDefaults()
  }

  /** @param areMembers - selects queues whose tables no dump contains, created before their rows; otherwise those whose tables exist already */
  async #makeQueues(areMembers: boolean): Promise<void> {
    for (const queue of queuesToMake(this.#inventory.queues, areMembers))
      await this.#try(`Queue ${queue.name}`, renderQueue(queue))
  }

  /**
   * Dumps contain only grants beyond Postgres's defaults. The target's default privileges would add to them, including for `anon`. The source's default
   * privileges are part of the definitions.
   */
  async #revokeDefaults(): Promise<void> {
    const { rows } = await this.#target.query<{ statement: string }>(`
      select distinct format('alter default privileges in schema %I revoke all on %s from %s', n.nspname,
               case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types' end,
               case when a.grantee = 0 then 'public' else quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end) as statement
        from pg_catalog.pg_default_acl d join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace, pg_catalog.aclexplode(d.defaclacl) a
       where d.defaclrole = (select oid from pg_catalog.pg_roles where rolname = current_user) and n.nspname <> 'extensions'`)
    for (const { statement } of rows) await this.#target.query(statement)
    if (this.#inventory.schemas.includes('public'))
      await this.#target.query('revoke all on schema public from anon, authenticated, service_role')
  }

  async #applyAll(entries: readonly DumpEntry[]): Promise<void> {
    for (const entry of entries) {
      const what = nameOf(entry)
      const isRefused = this.#options.refused?.has(what) === true
      const isDone =
        !isRefused &&
        (await this.#try(what, entry.text, { isQuiet: entry.type === 'COMMENT' && entry.name === IS_PUBLIC_SCHEMA }))
      if (!isDone) {
        if (isRefused || !this.#isThere) await this.#close(entry)
        continue
      }
      if (entry.type === 'POLICY') this.#policies++
      if (entry.type === 'FUNCTION' || entry.type === 'PROCEDURE') this.#functions++
      if (entry.owner) await this.#try(`Owner of ${what}`, entry.owner)
    }
  }

  /** Blocks access to a table that would expose more without the rejected definition, until a user has reviewed it. */
  async #close(entry: DumpEntry): Promise<void> {
    const closing = closingOf(entry)
    if (closing === undefined) return
    const isClosed =
      this.#inventory.schemas.includes(entry.schema) && (await this.#try(`Closing of ${nameOf(entry)}`, closing))
    this.#tell(
      `Access that ${nameOf(entry)} narrows`,
      isClosed
        ? 'anon and authenticated have no rights on the table, until it is there and they are granted again'
        : 'MORE IS VISIBLE than before: make it by hand first',
    )
  }

  /** @returns the number of copied rows; `undefined` if the table does not exist here */
  async #copy(table: SourceTable): Promise<number | undefined> {
    const what = `${table.schema}.${table.name}`
    const { rows: here } = await this.#target.query<{ column: string; may: boolean }>(
      `select a.attname as column, pg_catalog.has_column_privilege(c.oid, a.attnum, 'insert') as may from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = $1 and c.relname = $2 and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
      [table.schema, table.name],
    )
    if (here.length === 0) {
      if (table.rows !== 0) this.#tell(`Rows of ${what}`, 'the table could not be made here')
      return undefined
    }
    const columns = table.columns.filter((column) => here.some((one) => one.column === column))
    for (const column of table.columns.filter((one) => !columns.includes(one)))
      this.#tell(`Column ${what}.${column}`, 'there is no such column here')
    const closed = here.find((one) => !one.may && columns.includes(one.column))
    const list = columns.map(quoteIdentifier).join(', ')
    const { progress, source } = this.#options
    let copied = 0
    let toldAt = Date.now()
    await copyOut({
      client: await source.connect(),
      text: `copy (select ${list} from only ${quoteName(table.schema, table.name)}) to stdout`,
      silenceMs: SILENCE_MS,
      onRows: async (bytes, rows) => {
        if (closed) {
          if (NEEDED.has(what)) throw new Error(`The role of the address may not write ${what}.${closed.column}.`)
          if (copied === 0) this.#tell(`Rows of ${what}`, 'the role of the address may not write them')
          copied += rows
          return
        }
        await copyIn(this.#target, `copy ${quoteName(table.schema, table.name)} (${list}) from stdin`, [bytes])
        copied += rows
        if (Date.now() - toldAt < 2_000) return
        toldAt = Date.now()
        progress(`${what}: ${copied} of about ${Math.max(copied, table.rows)} rows`)
      },
    })
    return closed ? undefined : copied
  }

  async #setSequences(): Promise<void> {
    for (const { schema, name: sequence, value } of this.#inventory.sequences)
      await this.#try(`Value of ${schema}.${sequence}`, 'select pg_catalog.setval($1::regclass, $2::bigint, true)', {
        values: [quoteName(schema, sequence), value],
      })
  }

  async #finish(): Promise<void> {
    const { views, published } = this.#inventory
    for (const { schema, name: view } of views)
      await this.#try(`Rows of view ${schema}.${view}`, `refresh materialized view ${quoteName(schema, view)}`)
    for (const { schema, name: table } of published)
      await this.#try(
        `Table ${schema}.${table} in supabase_realtime`,
        `alter publication supabase_realtime add table ${quoteName(schema, table)}`,
      )
    await this.#makeQueues(false)
    if (this.#options.keepsVersions) return
    // Older projects have files without a version, or with one that is not a valid name here.
    await this.#try(
      'Versions of files',
      `update storage.objects set version = gen_random_uuid()::text where version is null or version !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`,
    )
  }

  async #schedule(): Promise<number> {
    let made = 0
    for (const { jobname, schedule, command, active } of this.#inventory.jobs) {
      const create = 'select cron.alter_job(cron.schedule($1::text, $2::text, $3::text), active := $4)'
      const values = [jobname, schedule, command, active]
      if (await this.#try(`Job ${jobname ?? command.slice(0, 40)}`, create, { values })) made++
    }
    return made
  }

  async #keepSecrets(): Promise<number> {
    let made = 0
    for (const { name: secret, description, secret: value } of this.#inventory.secrets) {
      // As a parameter it appears in no statement log.
      const create = 'select vault.create_secret($1::text, $2::text, $3::text)'
      const values = [value, secret, description ?? '']
      if (await this.#try(`Secret ${secret ?? 'without a name'} of the vault`, create, { values })) made++
    }
    return made
  }

  /** @returns whether it succeeded; failures are reported, except for existing objects and with `isQuiet` */
  async #try(what: string, text: string, { values, isQuiet = false }: TryOptions = {}): Promise<boolean> {
    await this.#target.query('savepoint entry')
    try {
      await this.#target.query(text, values && [...values])
      await this.#target.query('release savepoint entry')
      this.#isThere = false
      return true
    } catch (error) {
      // Fails on a lost connection, which aborts the migration.
      await this.#target.query('rollback to savepoint entry')
      this.#isThere = IS_THERE.has((error as { code?: string }).code ?? '')
      if (!isQuiet && !this.#isThere) this.#tell(what, errorMessage(error))
      return false
    }
  }

  #tell(what: string, why: string): void {
    this.#leftOut.push({ what, why })
  }
}

/** SQLSTATEs for existing objects: `duplicate_object`, `duplicate_function`, `duplicate_table`, `duplicate_schema`. */
const IS_THERE = new Set(['42710', '42723', '42P07', '42P06'])

/** Required for signing in. */
const NEEDED = new Set(['auth.users', 'auth.identities'])
