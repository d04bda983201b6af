import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock, type Logger } from '@holdfast/foundation'
import { createPool, type Pool } from '@holdfast/postgres'
import type { HostCalls, HostedServer } from '@holdfast/protocol'
import type { Config } from '../config/options.ts'
import type { Holdfast } from '../holdfast.ts'
import { createLogger, isLogLevel } from '../logger.ts'
import { loadTestConfig } from './load-test-config.ts'
import { serveDatabase } from './served-database.ts'
import { copyFolder, type Template, type Templates } from './templates.ts'
import type { TestCluster } from './test-cluster.ts'

/** Name prefix of test databases. */
export const COPY = 'test_'

/** Length limit in characters of a server's log. */
const LOG_MAX = 200_000

/** A test's server in this process with a separate database. */
export interface Hosted extends AsyncDisposable {
  describe(): HostedServer
  reset(): Promise<void>
  advance(ms: number): void
  query(text: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>
  log(): string
}

export interface HostGround {
  readonly cluster: TestCluster
  readonly templates: Templates
  /** Contains the servers' data folders. */
  readonly home: string
}

/**
 * Copies the template of the project and its users, and opens a server on the copy.
 *
 * @throws {HoldfastError} start errors
 */
export async function openHosted(ground: HostGround, asked: HostCalls['open']['in']): Promise<Hosted> {
  const config = await loadTestConfig(asked)
  const name = `${COPY}${randomBytes(6).toString('hex')}`
  const dataDir = join(ground.home, 'servers', name)
  const template = await ground.templates.get(config, asked.users)
  const hosted = new ServerOnCopy(ground, name, template, { ...config, dataDir })
  try {
    await hosted.open()
  } catch (error) {
    await hosted[Symbol.asyncDispose]()
    throw error
  }
  return hosted
}

class ServerOnCopy implements Hosted {
  readonly #ground: HostGround
  readonly #name: string
  readonly #template: Template
  readonly #config: Config
  readonly #logger: Logger
  #log = ''
  #offsetMs = 0
  #server: Holdfast | undefined
  #pool: Pool | undefined

  constructor(ground: HostGround, name: string, template: Template, config: Config) {
    this.#ground = ground
    this.#name = name
    this.#template = template
    this.#config = config
    const level = isLogLevel(config.logLevel) ? config.logLevel : 'warn'
    this.#logger = createLogger(level, (line) => (this.#log = `${this.#log}${line}`.slice(-LOG_MAX)), systemClock.now)
  }

  async open(): Promise<void> {
    const { cluster } = this.#ground
    await cluster.create(this.#name, this.#template.database)
    copyFolder(this.#template, this.#config.dataDir)
    const database = cluster.withDatabase(this.#name)
    this.#server = await serveDatabase({
      config: this.#config,
      cluster: database,
      logger: this.#logger,
      clock: { now: () => Date.now() + this.#offsetMs },
    })
    this.#pool = createPool({ url: database.adminUrl, applicationName: 'test', connectionsMax: 5 })
  }

  describe(): HostedServer {
    const server = this.#server
    if (!server) throw new Error('the server is closed')
    return {
      server: this.#name,
      target: `http://${this.#config.host}:${server.port}`,
      databaseUrl: server.adminUrl,
      anonKey: server.apiKeys.anon,
      serviceRoleKey: server.apiKeys.serviceRole,
      publishableKey: server.apiKeys.publishable,
      secretKey: server.apiKeys.secret,
      jwtSecret: server.jwtSecret,
      userIds: this.#template.userIds,
    }
  }

  async reset(): Promise<void> {
    await this.#close()
    this.#offsetMs = 0
    await this.open()
  }

  advance(ms: number): void {
    this.#offsetMs += ms
  }

  async query(text: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    if (!this.#pool) throw new Error('the server is closed')
    return await this.#pool.withClient(async (client) => {
      const answer = await client.query<Record<string, unknown>>(text, [...values])
      return answer.rows
    })
  }

  log(): string {
    return this.#log
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
    rmSync(this.#config.dataDir, { recursive: true, force: true })
  }

  async #close(): Promise<void> {
    const [server, pool] = [this.#server, this.#pool]
    this.#server = undefined
    this.#pool = undefined
    await pool?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await this.#ground.cluster.drop(this.#name)
  }
}
