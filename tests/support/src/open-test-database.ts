import { createHash, randomBytes } from 'node:crypto'
import { silentLogger } from '@holdfast/foundation'
import {
  applyMigrations,
  createPool,
  EVALUATOR_ROLE,
  READER_ROLE,
  readMigrations,
  roleUrl,
  sql,
  type MigrationSource,
  type Pool,
} from '@holdfast/postgres'
import { clusterOfWorker, TEMPLATE_DATABASE, withDatabase } from './test-cluster.ts'

/** A separate database with the platform's roles and schemas. Deleted on disposal. */
export interface TestDatabase extends AsyncDisposable {
  readonly name: string
  /** Connects as the superuser, like Holdfast itself. */
  readonly url: string
  /** Connects as `postgres`, the project's role. */
  readonly projectUrl: string
  /** Connects as `authenticator`. */
  readonly requestUrl: string
  /** Connects as `holdfast_reader`. */
  readonly readerUrl: string
  /** Connects as `holdfast_evaluator`. */
  readonly evaluatorUrl: string
  /** As the superuser. */
  readonly pool: Pool
  /** As `holdfast_reader`, for compiling policies. */
  readonly compilerPool: Pool
  /** As `authenticator`, for `runAs`. */
  readonly requestPool: Pool
}

export interface TestDatabaseOptions {
  /** Applied after the platform's. */
  readonly migrations?: readonly MigrationSource[]
}

/** Makes a fresh database on the Postgres of this worker. Needs the project `pg` of `vitest.config.ts`. */
export async function openTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const cluster = await clusterOfWorker()
  const admin = createPool({ url: cluster.internalUrl, applicationName: 'test database', connectionsMax: 1 })
  const name = `test_${randomBytes(6).toString('hex')}`
  const projectUrl = withDatabase(cluster.adminUrl, name)
  const owner = sql.identifier(new URL(projectUrl).username)
  const template = await ensureTemplate({ admin, internalUrl: cluster.internalUrl, sources: options.migrations ?? [] })
  await copyDatabase(admin, { template, name })
  await admin.execute(sql`alter database ${sql.identifier(name)} owner to ${owner}`)
  // What tests say as the superuser is written as a project writes it.
  for (const setting of [`search_path = "$user", public`, `restrict_nonsystem_relation_kind = ''`])
    await admin.execute(sql`alter role current_user in database ${sql.identifier(name)} set ${sql.trusted(setting)}`)
  const url = withDatabase(cluster.internalUrl, name)
  const requestUrl = withDatabase(cluster.requestUrl, name)
  const readerUrl = roleUrl(requestUrl, READER_ROLE)
  const evaluatorUrl = roleUrl(requestUrl, EVALUATOR_ROLE)
  const compilerPool = createPool({ url: readerUrl, applicationName: 'test compiler', connectionsMax: 2 })
  const pool = createPool({ url, applicationName: 'test', connectionsMax: 10 })
  const requestPool = createPool({
    url: requestUrl,
    applicationName: 'test request',
    connectionsMax: 10,
    resetAfterTransaction: true,
  })
  return {
    name,
    url,
    projectUrl,
    requestUrl,
    readerUrl,
    evaluatorUrl,
    pool,
    compilerPool,
    requestPool,
    async [Symbol.asyncDispose]() {
      await requestPool[Symbol.asyncDispose]()
      await compilerPool[Symbol.asyncDispose]()
      await pool[Symbol.asyncDispose]()
      await dropSlots(admin, name)
      await admin.execute(sql`drop database if exists ${sql.identifier(name)} with (force)`)
      await admin[Symbol.asyncDispose]()
    },
  }
}

interface TemplateOptions {
  readonly admin: Pool
  readonly internalUrl: string
  readonly sources: readonly MigrationSource[]
}

/** Per cluster and set of migrations: the template database, or its making. */
const templates = new Map<string, Promise<string>>()

/** Returns the name of a database with these migrations, which each worker's Postgres makes once. */
function ensureTemplate({ admin, internalUrl, sources }: TemplateOptions): Promise<string> {
  if (sources.length === 0) return Promise.resolve(TEMPLATE_DATABASE)
  const key = `${internalUrl} ${sources.map((source) => String(source.directory)).join(' ')}`
  let template = templates.get(key)
  if (!template) templates.set(key, (template = makeTemplate({ admin, internalUrl, sources })))
  return template
}

async function makeTemplate({ admin, internalUrl, sources }: TemplateOptions): Promise<string> {
  const applied = sources.flatMap(readMigrations).map(({ source, name: file, sql: text }) => [source, file, text])
  const hash = createHash('sha256').update(JSON.stringify(applied)).digest('hex').slice(0, 16)
  const name = `${TEMPLATE_DATABASE}_${hash}`
  // Another file of this worker may have made it. Its name is given when it is complete.
  const found = await admin.query(sql`select from pg_catalog.pg_database where datname = ${name}`)
  if (found.length > 0) return name
  const unfinished = `${name}_${randomBytes(4).toString('hex')}`
  await copyDatabase(admin, { template: TEMPLATE_DATABASE, name: unfinished })
  {
    const url = withDatabase(internalUrl, unfinished)
    await using pool = createPool({ url, applicationName: 'test template', connectionsMax: 1 })
    await applyMigrations({ pool, sources, logger: silentLogger })
  }
  await admin.execute(sql`alter database ${sql.identifier(unfinished)} rename to ${sql.identifier(name)}`)
  return name
}

/** Copies files instead of logging each page (`wal_log`): the change readers of all other databases would have to go through these pages in the WAL. */
async function copyDatabase(admin: Pool, { template, name }: { template: string; name: string }): Promise<void> {
  const [from, to] = [sql.identifier(template), sql.identifier(name)]
  await admin.execute(sql`create database ${to} template ${from} strategy file_copy`)
}

/** A database with a replication slot cannot be dropped, and a slot in use cannot either. */
async function dropSlots(admin: Pool, database: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    await admin.query(sql`
      select pg_terminate_backend(active_pid) from pg_replication_slots where database = ${database} and active_pid is not null
    `)
    await admin.query(sql`
      select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = ${database} and active_pid is null
    `)
    const [left] = await admin.query<{ slots: number }>(sql`
      select count(*)::int4 as slots from pg_replication_slots where database = ${database}
    `)
    if (left?.slots === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
