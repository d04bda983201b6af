import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '@holdfast/foundation'
import { createPool, openEmbeddedCluster, sql, type Cluster, type Pool } from '@holdfast/postgres'

/** A Postgres for tests, whose databases are copies of templates. */
export interface TestCluster extends AsyncDisposable {
  /** Superuser pool in a database that is not a template. */
  readonly pool: Pool
  /** Returns this Postgres with another database, for opening a server. Closing it does not stop Postgres. */
  withDatabase(name: string): Cluster
  /** Creates a database, empty or as a copy of another with its owner, rights and settings. */
  create(name: string, template?: string): Promise<void>
  drop(name: string): Promise<void>
  /** Lists databases whose names begin with `prefix`. */
  list(prefix: string): Promise<readonly string[]>
  /** Drops roles created by projects' migrations, which did not exist when the first database was created. */
  dropProjectRoles(): Promise<void>
}

/** The project's role. */
const OWNER = 'postgres'

/** Name prefix of an incomplete copy. */
export const UNFINISHED = 'making_'

/** Settings without durability, for many servers. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '600',
  max_replication_slots: '120',
  max_wal_senders: '120',
}

/** A marker file that exists while Postgres runs and contains the machine's boot time. */
const RUNS = 'runs-since'

/** Tolerance in seconds when comparing boot times. */
const BOOT_TOLERANCE_S = 60

/**
 * Starts the Postgres of a folder. Recreates the folder if the machine crashed while Postgres was running, because writes may not have reached the disk.
 *
 * @param home - contains its data folder, `cluster`
 */
export async function openTestCluster(home: string, logger: Logger): Promise<TestCluster> {
  const dataDir = join(home, 'cluster')
  const mark = join(home, RUNS)
  const boot = Math.round(Date.now() / 1_000 - uptime())
  if (existsSync(mark) && Math.abs(Number(readFileSync(mark, 'utf8')) - boot) > BOOT_TOLERANCE_S)
    rmSync(dataDir, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  writeFileSync(mark, String(boot))
  const cluster = await openEmbeddedCluster({ dataDir, port: 0, logger, durable: false, settings: SETTINGS })
  const pool = createPool({ url: cluster.internalUrl, applicationName: 'holdfast testing', connectionsMax: 4 })
  await pool.execute(
    sql`create table if not exists public.known_roles as select rolname from pg_catalog.pg_roles where false`,
  )
  return {
    pool,
    withDatabase: (name) => clusterWith(cluster, name),
    create: (name, template) => create(pool, name, template),
    drop: (name) => drop(pool, name),
    list: async (prefix) => {
      const rows = await pool.query<{ name: string }>(
        sql`select datname as name from pg_catalog.pg_database where starts_with(datname, ${prefix})`,
      )
      return rows.map(({ name }) => name)
    },
    dropProjectRoles: () => dropProjectRoles(pool),
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
      rmSync(mark, { force: true })
    },
  }
}

function clusterWith(cluster: Cluster, name: string): Cluster {
  const at = (url: string): string => {
    const address = new URL(url)
    address.pathname = `/${name}`
    return address.href
  }
  return {
    kind: 'embedded',
    adminUrl: at(cluster.adminUrl),
    internalUrl: at(cluster.internalUrl),
    requestUrl: at(cluster.requestUrl),
    otherRequestUrls: [],
    databasePort: cluster.databasePort,
    serverVersion: cluster.serverVersion,
    isUp: () => cluster.isUp(),
    onRestart: (listener) => cluster.onRestart(listener),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function create(pool: Pool, name: string, template: string | undefined): Promise<void> {
  if (template === undefined)
    return void (await pool.execute(sql`create database ${sql.identifier(name)} owner ${sql.identifier(OWNER)}`))
  // An incomplete copy has a different name.
  const unfinished = `${UNFINISHED}${randomBytes(6).toString('hex')}`
  await pool.execute(
    sql`create database ${sql.identifier(unfinished)} template ${sql.identifier(template)} owner ${sql.identifier(OWNER)}`,
  )
  // A database's rights and settings are stored outside it, so copies do not include them.
  await pool.execute(sql`
    update pg_catalog.pg_database as copy set datacl = origin.datacl
      from pg_catalog.pg_database as origin where origin.datname = ${template} and copy.datname = ${unfinished}`)
  await pool.execute(sql`
    insert into pg_catalog.pg_db_role_setting (setdatabase, setrole, setconfig)
    select copy.oid, s.setrole, s.setconfig
      from pg_catalog.pg_db_role_setting s
      join pg_catalog.pg_database origin on origin.oid = s.setdatabase and origin.datname = ${template}
      join pg_catalog.pg_database copy on copy.datname = ${unfinished}`)
  await pool.execute(sql`alter database ${sql.identifier(unfinished)} rename to ${sql.identifier(name)}`)
}

/** Drops a database after its replication slots, which block that. Retries, because a slot in use cannot be dropped either. */
async function drop(pool: Pool, name: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const [left] = await pool.query<{ slots: number }>(sql`
      with used as (
        select slot_name, active_pid from pg_catalog.pg_replication_slots where database = ${name}
      ), ended as (
        select pg_catalog.pg_terminate_backend(active_pid) from used where active_pid is not null
      ), dropped as (
        select pg_catalog.pg_drop_replication_slot(slot_name) from used where active_pid is null
      )
      select (select count(*) from used)::int4 + 0 * ((select count(*) from ended) + (select count(*) from dropped))::int4 as slots`)
    if (left?.slots === 0) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await pool.execute(sql`drop database if exists ${sql.identifier(name)} with (force)`)
}

async function dropProjectRoles(pool: Pool): Promise<void> {
  const roles = await pool.query<{ name: string }>(sql`
    select rolname as name from pg_catalog.pg_roles
     where oid >= 16384 and exists (select from public.known_roles)
       and rolname not in (select rolname from public.known_roles)`)
  // A role still owning something in a used database stays.
  for (const { name } of roles) {
    await pool.execute(sql`drop owned by ${sql.identifier(name)} cascade`).catch(() => undefined)
    await pool.execute(sql`drop role if exists ${sql.identifier(name)}`).catch(() => undefined)
  }
}

/** Records which roles exist without a project, unless recorded already. */
export async function noteRoles(pool: Pool): Promise<void> {
  await pool.execute(sql`
    insert into public.known_roles
    select rolname from pg_catalog.pg_roles where not exists (select from public.known_roles)`)
}
