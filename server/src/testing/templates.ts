import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPhases, systemClock, type Logger } from '@holdfast/foundation'
import { createPool, sql, withOwnSettings, type Pool } from '@holdfast/postgres'
import type { HostedUser } from '@holdfast/protocol'
import { DERIVED_SYNC_TABLES } from '@holdfast/sync'
import type { Config } from '../config/options.ts'
import { prepareDatabase } from '../prepare-database.ts'
import { projectKey } from './project-key.ts'
import { serveDatabase } from './served-database.ts'
import { noteRoles, type TestCluster } from './test-cluster.ts'
import { createUsers } from './create-users.ts'

/** A template database and its files. */
export interface Template {
  readonly database: string
  /** Initial data folder of copies: keys and stored files. */
  readonly folder: string
  readonly userIds: readonly string[]
}

const PREFIX = 'template_'

/** Template of the server without a project. */
const BARE = `${PREFIX}bare`

/** Creates template databases, each once even for concurrent requests. */
export class Templates {
  readonly #cluster: TestCluster
  readonly #home: string
  readonly #logger: Logger
  readonly #making = new Map<string, Promise<unknown>>()

  constructor(cluster: TestCluster, home: string, logger: Logger) {
    this.#cluster = cluster
    this.#home = home
    this.#logger = logger
  }

  /**
   * Returns the template of a project and its users. Creates it if necessary by applying migrations and seeds and adding the users.
   *
   * @throws {HoldfastError} start errors, such as `project_sql_failed` with file and line
   */
  get(config: Config, users: readonly HostedUser[]): Promise<Template> {
    // Seeds require a server reachable only from this machine; a test's URL does not affect the template.
    return this.#ofUsers({ ...config, externalUrl: undefined }, users)
  }

  /** Builds the template with the server's own migrations and their roles. */
  #bare(config: Config): Promise<string> {
    return this.#once(BARE, async () => {
      await this.#make(BARE, undefined, async () => {
        await this.#prepare(BARE, { ...config, projectMigrations: false, sample: false })
        await noteRoles(this.#cluster.pool)
        return {}
      })
      return BARE
    })
  }

  async #ofProject(config: Config): Promise<string> {
    const name = `${PREFIX}${await projectKey(config, new Date().toISOString().slice(0, 10))}`
    return await this.#once(name, async () => {
      const origin = await this.#bare(config)
      await this.#make(name, origin, async () => {
        await this.#dropOthers(new Set([origin, name]))
        await this.#prepare(name, config)
        return {}
      })
      return name
    })
  }

  /** Runs a server on the template once, to create signing keys, buckets and users. */
  async #ofUsers(config: Config, users: readonly HostedUser[]): Promise<Template> {
    const origin = await this.#ofProject(config)
    const hash = createHash('sha256').update(JSON.stringify(users)).digest('hex').slice(0, 16)
    const name = `${origin}_${hash}`
    return await this.#once(name, async () => {
      const folder = join(this.#folderOf(name), 'data')
      const { userIds } = await this.#make(name, origin, async () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const made = await this.#addUsers(name, { ...config, dataDir: folder }, users)
        // Copies have their own slot and start like a new database.
        await using pool = this.#openPool(name)
        await pool.execute(sql`truncate ${sql.join(DERIVED_SYNC_TABLES.map((one) => sql.identifier('sync', one)))}`)
        return { userIds: made }
      })
      return { database: name, folder, userIds }
    })
  }

  async #addUsers(name: string, config: Config, users: readonly HostedUser[]): Promise<readonly string[]> {
    await using server = await serveDatabase({
      // Nobody calls a template's functions.
      config: { ...config, functionsEnabled: false },
      cluster: this.#cluster.withDatabase(name),
      logger: this.#logger,
      clock: systemClock,
    })
    return await createUsers(`http://127.0.0.1:${server.port}`, server.apiKeys.serviceRole, users)
  }

  async #prepare(name: string, config: Config): Promise<void> {
    await using pool = this.#openPool(name)
    await prepareDatabase(
      { cluster: this.#cluster.withDatabase(name), pool, phases: createPhases() },
      {
        config,
        logger: this.#logger,
        clock: systemClock,
        progress: (line) => this.#logger.log('info', line),
        signal: new AbortController().signal,
      },
    )
  }

  /** Drops templates of earlier project states, with roles created by their migrations, which the next state creates again. */
  async #dropOthers(kept: ReadonlySet<string>): Promise<void> {
    for (const name of await this.#cluster.list(PREFIX)) {
      if (kept.has(name)) continue
      this.#making.delete(name)
      await this.#cluster.drop(name)
      rmSync(this.#folderOf(name), { recursive: true, force: true })
    }
    await this.#cluster.dropProjectRoles()
  }

  #once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.#making.get(name) as Promise<T> | undefined
    if (known) return known
    const made = make().catch((error: unknown) => {
      this.#making.delete(name)
      throw error
    })
    this.#making.set(name, made)
    return made
  }

  /** Reuses a complete database of an earlier run, or creates one. */
  async #make<T extends object>(name: string, origin: string | undefined, fill: () => Promise<T>): Promise<T> {
    const folder = this.#folderOf(name)
    const done = join(folder, 'template.json')
    const existing = await this.#cluster.list(name)
    if (existing.includes(name) && existsSync(done)) return JSON.parse(readFileSync(done, 'utf8')) as T
    await this.#cluster.drop(name)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await this.#cluster.create(name, origin)
    try {
      const made = await fill()
      writeFileSync(done, JSON.stringify(made))
      return made
    } catch (error) {
      await this.#cluster.drop(name)
      throw error
    }
  }

  #openPool(name: string): Pool {
    const { internalUrl, serverVersion } = this.#cluster.withDatabase(name)
    return createPool({
      url: withOwnSettings(internalUrl, serverVersion),
      applicationName: 'holdfast testing',
      connectionsMax: 2,
    })
  }

  #folderOf(name: string): string {
    return join(this.#home, 'templates', name)
  }
}

/** Copies the template's data folder for a server. */
export function copyFolder({ folder }: Template, to: string): void {
  rmSync(to, { recursive: true, force: true })
  cpSync(folder, to, { recursive: true })
}
