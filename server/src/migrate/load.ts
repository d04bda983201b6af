import { copyIn, copyOut, dumpSchema, openQuietClient, quoteIdentifier, quoteLiteral } from '@holdfast/postgres'
import { readEntries, type DumpEntry } from './entries.ts'
import { SILENCE_MS, type Inventory, type Source, type SourceTable } from './source.ts'
import type { LeftOut } from './report.ts'

type Client = Awaited<ReturnType<typeof openQuietClient>>

export interface LoadOptions {
  readonly source: Source
  readonly sourceUrl: string
  /** Of the new database, as the role that projects act as: what is loaded has no more rights than that. */
  readonly targetUrl: string
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

const name = (schema: string, relation: string): string => `${quoteIdentifier(schema)}.${quoteIdentifier(relation)}`

/** What is the platform's in every project, and is here by itself or not at all. */
const IS_PLATFORM_ACL = /^ALTER DEFAULT PRIVILEGES FOR ROLE "?(?:supabase_\w+|holdfast_\w+)"? /m
const IS_PUBLIC_SCHEMA = 'SCHEMA public'

/**
 * Fills a new database with what another project has, in one transaction: definitions, rows, then indexes, constraints, triggers and policies. A definition that
 * Postgres refuses is left out and told; anything else that fails leaves nothing.
 */
export async function loadDatabase(options: LoadOptions): Promise<Loaded> {
  const target = await openQuietClient(options.targetUrl, 'holdfast migrate')
  try {
    await target.query('begin')
    await target.query(
      `set local check_function_bodies = off; set local search_path = ''; set local statement_timeout = 0; set local lock_timeout = 0; set local timezone = 'UTC'`,
    )
    const loaded = await new Loader(target, options).load()
    await target.query('commit')
    return loaded
  } finally {
    await target.end().catch(() => undefined) // it may be broken already
  }
}

class Loader {
  readonly #target: Client
  readonly #options: LoadOptions
  readonly #inventory: Inventory
  readonly #leftOut: LeftOut[] = []
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
    if (own.length > 0) await this.#applyAll(await this.#dump(['--section=pre-data', ...own]))
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
    if (own.length > 0) await this.#applyAll(await this.#dump(['--section=post-data', ...own]))
    await this.#applyAll((await this.#dump(PLATFORM_ARGS)).filter((entry) => this.#isOfProject(entry)))
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

  async #dump(args: readonly string[]): Promise<readonly DumpEntry[]> {
    const { source, sourceUrl } = this.#options
    return readEntries(
      await dumpSchema({
        url: sourceUrl,
        applicationName: 'holdfast migrate',
        snapshot: source.snapshot,
        args: ['--schema-only', ...args],
        silenceMs: SILENCE_MS,
      }),
    )
  }

  /** Roles and extensions, which dumps of schemas do not have. */
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
    for (const { name: extension, schema } of extensions)
      await this.#try(
        `Extension ${extension}`,
        `create extension if not exists ${quoteIdentifier(extension)} with schema ${quoteIdentifier(schema)}`,
      )
    await this.#revokeDefaults()
  }

  /**
   * A dump says what was granted beside what Postgres grants by itself. What this project grants by default to new tables would come on top, to `anon` as well.
   * The source's own defaults are among the definitions.
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
      if (entry.type === 'SCHEMA' || entry.type === 'EXTENSION' || entry.text === '') continue
      if (IS_PLATFORM_ACL.test(entry.text)) continue
      const what = `${entry.type} ${entry.schema === '-' ? '' : `${entry.schema}.`}${entry.name}`
      const isDone = await this.#try(what, entry.text, entry.type === 'COMMENT' && entry.name === IS_PUBLIC_SCHEMA)
      if (!isDone) continue
      if (entry.type === 'POLICY') this.#policies++
      if (entry.type === 'FUNCTION' || entry.type === 'PROCEDURE') this.#functions++
      if (entry.owner) await this.#try(`Owner of ${what}`, entry.owner)
    }
  }

  /** Of the platform's own tables, what the project has put on them. */
  #isOfProject({ type, text }: DumpEntry): boolean {
    if (type === 'POLICY') return true
    if (type !== 'TRIGGER') return false
    const [, schema] = /EXECUTE (?:FUNCTION|PROCEDURE) "?([^".]+)"?\./.exec(text) ?? []
    return schema !== undefined && this.#inventory.schemas.includes(schema)
  }

  /** @returns how many rows came, `undefined` when there is no such table here */
  async #copy(table: SourceTable): Promise<number | undefined> {
    const what = `${table.schema}.${table.name}`
    const { rows: here } = await this.#target.query<{ column: string }>(
      `select a.attname as column from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
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
    const list = columns.map(quoteIdentifier).join(', ')
    const { progress, source } = this.#options
    let copied = 0
    let toldAt = Date.now()
    await copyOut({
      client: await source.connect(),
      text: `copy (select ${list} from only ${name(table.schema, table.name)}) to stdout`,
      silenceMs: SILENCE_MS,
      onRows: async (bytes, rows) => {
        await copyIn(this.#target, `copy ${name(table.schema, table.name)} (${list}) from stdin`, [bytes])
        copied += rows
        if (Date.now() - toldAt < 2_000) return
        toldAt = Date.now()
        progress(`${what}: ${copied} of about ${Math.max(copied, table.rows)} rows`)
      },
    })
    return copied
  }

  async #setSequences(): Promise<void> {
    for (const { schema, name: sequence, value } of this.#inventory.sequences)
      await this.#try(
        `Value of ${schema}.${sequence}`,
        `select pg_catalog.setval(${quoteLiteral(name(schema, sequence))}::regclass, ${quoteLiteral(value)}::bigint, true)`,
      )
  }

  async #finish(): Promise<void> {
    const { views, published } = this.#inventory
    for (const { schema, name: view } of views)
      await this.#try(`Rows of view ${schema}.${view}`, `refresh materialized view ${name(schema, view)}`)
    for (const { schema, name: table } of published)
      await this.#try(
        `Table ${schema}.${table} in supabase_realtime`,
        `alter publication supabase_realtime add table ${name(schema, table)}`,
      )
    // Older projects have files without a version, or one that is no name of bytes here.
    await this.#try(
      'Versions of files',
      `update storage.objects set version = gen_random_uuid()::text where version is null or version !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`,
    )
  }

  async #schedule(): Promise<number> {
    let made = 0
    for (const { jobname, schedule, command, active } of this.#inventory.jobs) {
      const call = [jobname, schedule, command].map((text) => (text === null ? 'null' : quoteLiteral(text))).join(', ')
      const create = `select cron.alter_job(cron.schedule(${call}), active := ${active})`
      if (await this.#try(`Job ${jobname ?? command.slice(0, 40)}`, create)) made++
    }
    return made
  }

  async #keepSecrets(): Promise<number> {
    let made = 0
    for (const { name: secret, description, secret: value } of this.#inventory.secrets) {
      const call = `select vault.create_secret(${quoteLiteral(value)}, ${secret === null ? 'null' : quoteLiteral(secret)}, ${quoteLiteral(description ?? '')})`
      if (await this.#try(`Secret ${secret ?? 'without a name'} of the vault`, call)) made++
    }
    return made
  }

  /** @returns whether it was done; else it is told, unless it is here already or `isQuiet` */
  async #try(what: string, text: string, isQuiet = false): Promise<boolean> {
    await this.#target.query('savepoint entry')
    try {
      await this.#target.query(text)
      await this.#target.query('release savepoint entry')
      return true
    } catch (error) {
      // A lost connection fails here, too, and ends all of it.
      await this.#target.query('rollback to savepoint entry')
      if (!isQuiet && !IS_THERE.has((error as { code?: string }).code ?? ''))
        this.#tell(what, error instanceof Error ? error.message : String(error))
      return false
    }
  }

  #tell(what: string, why: string): void {
    this.#leftOut.push({ what, why })
  }
}

/** Tables of the platform on which projects put policies and triggers. */
const PLATFORM_ARGS: readonly string[] = [
  '--section=post-data',
  '--table=auth.users',
  '--table=storage.objects',
  '--table=storage.buckets',
]

/** SQLSTATEs of what is here already: `duplicate_object`, `duplicate_function`, `duplicate_table`, `duplicate_schema`. */
const IS_THERE = new Set(['42710', '42723', '42P07', '42P06'])
