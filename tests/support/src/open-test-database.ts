import { randomBytes } from 'node:crypto'
import { silentLogger } from '@holdfast/foundation'
import {
  applyMigrations,
  createPool,
  EVALUATOR_ROLE,
  READER_ROLE,
  roleUrl,
  sql,
  type MigrationSource,
  type Pool,
} from '@holdfast/postgres'
import { clusterOfWorker, TEMPLATE_DATABASE, withDatabase } from './test-cluster.ts'

/** A database of one's own, with the platform's roles and schemas. Gone after disposal. */
export interface TestDatabase extends AsyncDisposable {
  readonly name: string
  /** Connects as the superuser, as Holdfast itself does. */
  readonly url: string
  /** Connects as `postgres`, which projects act as. */
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
  const template = sql.identifier(TEMPLATE_DATABASE)
  // Not through the log: the readers of all other databases would go over each of its pages.
  await admin.execute(
    sql`create database ${sql.identifier(name)} template ${template} owner ${owner} strategy file_copy`,
  )
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
  if (options.migrations) await applyMigrations({ pool, sources: options.migrations, logger: silentLogger })
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
