import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import type { HostedServer, HostedUser } from '@holdfast/protocol'
import { openDevice, type TestDevice } from './device.ts'
import type { HostConnection } from './host-connection.ts'
import { connectToHost } from './host.ts'
import { openMessages, renderMail, renderSms, type Captured } from './mails.ts'
import { openNetwork, type OwnNetwork } from './network.ts'
import type { Duration, HoldfastOptions, TestHoldfast, TestUser, TestUserOptions } from './test-holdfast.ts'
import { TestingError } from './testing-error.ts'

const NODE_MAJOR_MIN = 24

/** Default password of users. */
const PASSWORD = 'a password for tests'

/** Maximum number of captured messages examined. */
const MESSAGES_MAX = 200

/**
 * Opens a server with its own database: a copy of the project's migrated and seeded database, plus these users. The first call on a machine starts Postgres and
 * applies the migrations, which takes seconds; later calls take a fraction of a second.
 *
 * @throws {TestingError} `test_node_too_old`, `test_project_missing`, `test_holdfast_missing`, `test_host_failed`, `project_sql_failed` with file and line, and
 * errors of the server's start
 */
export async function openHoldfast<const Name extends string = never>(
  options: HoldfastOptions<Name> = {},
): Promise<TestHoldfast<Name>> {
  requireNode(process.versions.node)
  const project = findProject(options.project)
  const users = Object.entries<TestUserOptions>(options.users ?? {}).map(([name, user]) => hostedUser(name, user))
  await using opened = new AsyncDisposableStack()
  const connection = opened.use(await connectToHost(project, options.onProgress ?? (() => undefined)))
  const network = opened.use(await openNetwork())
  const server = await connection.call('open', {
    hasProject: project !== undefined,
    options: options.settings ?? {},
    users,
    externalUrl: network.url,
  })
  network.leadTo(server.target)
  opened.defer(async () => void (await connection.call('close', { server: server.server })))
  const names = Object.keys(options.users ?? {})
  const known = names.map((name, index): [string, TestUser] => {
    const { email = '', password = '' } = users[index] ?? {}
    return [name, { id: server.userIds[index] ?? '', email, password }]
  })
  const holdfast = new Opened<Name>(connection, network, server, Object.fromEntries(known) as Record<Name, TestUser>)
  opened.defer(() => holdfast.closeClients())
  holdfast.own(opened.move())
  return holdfast
}

class Opened<Name extends string> implements TestHoldfast<Name> {
  readonly url: string
  readonly users: Readonly<Record<Name, TestUser>>
  readonly network: OwnNetwork
  readonly mails
  readonly messages
  readonly #connection: HostConnection
  readonly #clients = new Set<SupabaseClient>()
  readonly #devices = new Set<TestDevice>()
  #server: HostedServer
  #opened: AsyncDisposable | undefined

  constructor(
    connection: HostConnection,
    network: OwnNetwork,
    server: HostedServer,
    users: Readonly<Record<Name, TestUser>>,
  ) {
    this.#connection = connection
    this.#server = server
    this.network = network
    this.url = network.url
    this.users = users
    const read = (to: string | undefined): Promise<readonly Captured[]> => this.#readCaptured(to)
    this.mails = openMessages(read, 'mail', renderMail)
    this.messages = openMessages(read, 'sms', renderSms)
  }

  get anonKey(): string {
    return this.#server.anonKey
  }
  get publishableKey(): string {
    return this.#server.publishableKey
  }
  get serviceRoleKey(): string {
    return this.#server.serviceRoleKey
  }
  get secretKey(): string {
    return this.#server.secretKey
  }
  get jwtSecret(): string {
    return this.#server.jwtSecret
  }
  get databaseUrl(): string {
    return this.#server.databaseUrl
  }

  /** Registers something to be closed with this server. */
  own(opened: AsyncDisposable): void {
    this.#opened = opened
  }

  anonymous(): SupabaseClient {
    return this.#openClient(this.anonKey)
  }

  service(): SupabaseClient {
    return this.#openClient(this.serviceRoleKey)
  }

  async signIn(who: Name | { readonly email: string; readonly password: string }): Promise<SupabaseClient> {
    const client = this.anonymous()
    const { email, password } = this.#accountOf(who)
    const { error } = await client.auth.signInWithPassword({ email, password })
    if (error)
      throw new TestingError(
        { code: 'test_sign_in_failed', message: `${email} cannot sign in: ${error.message}` },
        error,
      )
    return client
  }

  async openDevice(who: Name | { readonly email: string; readonly password: string }): Promise<TestDevice> {
    const { email, password } = this.#accountOf(who)
    const { target } = this.#server
    const device = await openDevice({ target, anonKey: this.anonKey, account: { email, password } })
    this.#devices.add(device)
    return device
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#connection.call('query', { server: this.#server.server, text, values })
    return rows as Row[]
  }

  async advance({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Duration): Promise<void> {
    const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000
    if (!(ms > 0))
      throw new TestingError({
        code: 'test_duration_invalid',
        message: 'Time only moves forward: give days, hours, minutes or seconds.',
      })
    await this.#connection.call('advance', { server: this.#server.server, ms })
  }

  async reset(): Promise<void> {
    await this.closeClients()
    this.network.restore()
    this.mails.forget()
    this.messages.forget()
    this.#server = await this.#connection.call('reset', { server: this.#server.server })
    this.network.leadTo(this.#server.target)
  }

  async log(): Promise<string> {
    return (await this.#connection.call('log', { server: this.#server.server })).text
  }

  async closeClients(): Promise<void> {
    await Promise.all([...this.#devices].map((device) => device[Symbol.asyncDispose]()))
    for (const client of this.#clients) {
      await client.auth.stopAutoRefresh()
      // Without channels this would keep the process alive for ten seconds (realtime-js 2.119, `SocketAdapter.disconnect`).
      if (client.getChannels().length > 0) await client.removeAllChannels()
    }
    this.#devices.clear()
    this.#clients.clear()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    await opened?.[Symbol.asyncDispose]()
  }

  #openClient(key: string): SupabaseClient {
    const client = createClient(this.url, key, {
      auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    })
    this.#clients.add(client)
    return client
  }

  #accountOf(who: Name | { readonly email: string; readonly password: string }): {
    readonly email: string
    readonly password: string
  } {
    if (typeof who === 'object') return who
    const user = this.users[who]
    if (user) return user
    throw new TestingError({
      code: 'test_user_missing',
      message: `There is no user "${who}".`,
      hint: `Add it with openHoldfast({ users: { ${who}: {} } }).`,
    })
  }

  async #readCaptured(to: string | undefined): Promise<readonly Captured[]> {
    const filter = to === undefined ? '' : `&recipient=${encodeURIComponent(to)}`
    const key = this.serviceRoleKey
    const response = await fetch(`${this.#server.target}/auth/v1/admin/messages?limit=${MESSAGES_MAX}${filter}`, {
      headers: { apikey: key, authorization: `Bearer ${key}` },
    })
    if (!response.ok)
      throw new TestingError({
        code: 'test_messages_unreadable',
        message: `Messages cannot be read: ${await response.text()}`,
      })
    return (await response.json()) as readonly Captured[]
  }
}

function hostedUser(name: string, user: TestUserOptions): HostedUser {
  return { ...user, email: user.email ?? `${name}@example.com`, password: user.password ?? PASSWORD }
}

/** @param version - Node's version, such as `22.11.0` */
export function requireNode(version: string): void {
  if (Number(version.split('.')[0]) >= NODE_MAJOR_MIN) return
  throw new TestingError({
    code: 'test_node_too_old',
    message: `Holdfast needs Node ${NODE_MAJOR_MIN} or later, and this is Node ${version} (${process.execPath}).`,
    hint: 'Run the tests with a newer one, from https://nodejs.org.',
  })
}

/** @returns the real path, so that a folder has a single name */
function findProject(project: string | false = process.cwd()): string | undefined {
  if (project === false) return undefined
  const folder = resolve(project)
  if (existsSync(join(folder, 'supabase'))) return realpathSync(folder)
  throw new TestingError({
    code: 'test_project_missing',
    message: `${folder} has no folder "supabase".`,
    hint: 'Set the project’s folder with openHoldfast({ project }), create one with "holdfast init", or pass project: false.',
  })
}
