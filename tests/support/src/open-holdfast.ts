import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { createPool, type Pool } from '@holdfast/postgres'
import { freePort } from './free-port.ts'
import { copyInitializedFolder } from './initialized-folder.ts'
import { startServer, type ReadyLine, type ServerProcess } from './server-process.ts'

/** Password of every sample account. */
export const SAMPLE_PASSWORD = 'holdfast-sample'

/** Disables rate limits, because all clients of a test share an IP address. Tests of limits set them again. */
const UNLIMITED = [
  '--rate-limit-email-sent=0',
  '--rate-limit-sms-sent=0',
  '--rate-limit-anonymous-users=0',
  '--rate-limit-token-refresh=0',
  '--rate-limit-sign-in-sign-ups=0',
  '--rate-limit-token-verifications=0',
]

export interface HoldfastOptions {
  /** With the sample organisation. */
  readonly sample?: boolean
  /** Additional arguments for `holdfast start`. */
  readonly args?: readonly string[]
  /** An installed `holdfast`, which creates its data folder itself, used instead of the repository's build. */
  readonly program?: string
  /** Fills the data folder, which does not exist yet, before the start. Default: copies an initialized one. */
  readonly prepareDataDir?: (dataDir: string) => Promise<void>
}

export interface AnotherOptions {
  readonly port?: number
  /** Additional arguments for `holdfast start`. */
  readonly args?: readonly string[]
}

/** A separate server: the real process with its own Postgres, on free ports, in a temporary folder. */
export interface Holdfast extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, unchanged by a restart. */
  readonly url: string
  /** Connects as `postgres`, the project's role, or as the configured user. */
  readonly databaseUrl: string
  /** Connects as the superuser, like Holdfast itself. */
  readonly internalUrl: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly publishableKey: string
  readonly secretKey: string
  /** Signs the keys; the server accepts other tokens signed with it. */
  readonly jwtSecret: string
  /** Opens the sample, signed in. Works once, within ten minutes of the first start. */
  readonly welcomeUrl: string | undefined
  /** Creates the console's first operator, once. */
  readonly consoleUrl: string | undefined
  /** Credentials with which S3 clients act as `service_role`. */
  readonly s3: ReadyLine['s3']
  readonly dataDir: string
  /** Connected as `postgres`, for setup and checks with a project's rights. */
  readonly admin: Pool
  /** Connected as the superuser, for access reserved to Holdfast. */
  readonly internal: Pool
  /** Returns unmodified supabase-js, signed in if an account is given. */
  supabase(account?: { readonly email: string; readonly password?: string }): Promise<SupabaseClient>
  /** Returns the server's process id, which changes with a restart. */
  pid(): number
  log(): string
  /** Kills the server; its Postgres keeps running. */
  kill9(): Promise<void>
  /** Kills the server and its Postgres, as in a power failure. */
  killAll9(): Promise<void>
  /** Kills Postgres; the server keeps running. */
  killPostgres9(): Promise<void>
  /** Stops it as with Ctrl-C. */
  stop(): Promise<void>
  /** Restarts it on the same data and ports. */
  restart(): Promise<void>
  /** Starts another server on its database with the same keys, by default on a free port. */
  another(options?: AnotherOptions): Promise<ServerProcess>
}

export async function openHoldfast(options: HoldfastOptions = {}): Promise<Holdfast> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-server-'))
  const dataDir = join(folder, 'data')
  const [port, dbPort] = await Promise.all([freePort(), freePort()])
  const args = [
    `--port=${port}`,
    `--db-port=${dbPort}`,
    `--data-dir=${dataDir}`,
    ...(options.sample ? ['--sample'] : UNLIMITED),
    ...(options.args ?? []),
  ]
  const isEmbedded = !args.some((arg) => arg.startsWith('--database-url'))
  let server: ServerProcess
  try {
    if (options.prepareDataDir) await options.prepareDataDir(dataDir)
    else if (isEmbedded && !options.program) await copyInitializedFolder(dataDir, { sample: options.sample ?? false })
    server = await startServer(args, folder, options.program)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const { base: url, db: databaseUrl, jwtSecret, welcome: welcomeUrl, console: consoleUrl, ...keys } = server.ready
  const admin = createPool({ url: databaseUrl, applicationName: 'tests', connectionsMax: 5 })
  const internalUrl = isEmbedded ? internalUrlOf(databaseUrl, dataDir) : databaseUrl
  const internal = createPool({ url: internalUrl, applicationName: 'tests', connectionsMax: 5 })
  const ofDatabase = [`--database-url=${internalUrl}`, `--data-dir=${dataDir}`]
  const clients: SupabaseClient[] = []

  async function killAll9(): Promise<void> {
    const postmaster = postmasterPid(dataDir)
    await server.kill('SIGKILL')
    if (postmaster !== undefined) await killProcess(postmaster)
  }

  return {
    url,
    databaseUrl,
    internalUrl,
    anonKey: keys.anonKey,
    serviceRoleKey: keys.serviceRoleKey,
    publishableKey: keys.publishableKey,
    secretKey: keys.secretKey,
    jwtSecret,
    welcomeUrl,
    consoleUrl,
    s3: keys.s3,
    dataDir,
    admin,
    internal,
    async supabase(account) {
      const client = createClient(url, keys.anonKey, { auth: { persistSession: false, autoRefreshToken: false } })
      clients.push(client)
      if (account) {
        const { email, password = SAMPLE_PASSWORD } = account
        const { error } = await client.auth.signInWithPassword({ email, password })
        if (error) throw error
      }
      return client
    },
    pid: () => server.child.pid ?? 0,
    log: () => server.log(),
    kill9: () => server.kill('SIGKILL'),
    killAll9,
    killPostgres9: async () => killPostmaster(dataDir),
    stop: () => server.kill('SIGTERM'),
    another: (other) => startServer([...ofDatabase, ...argsOfAnother(other)], folder, options.program),
    async restart() {
      server = await startServer(args, folder, options.program)
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.removeAllChannels()
      await admin[Symbol.asyncDispose]()
      await internal[Symbol.asyncDispose]()
      await server.kill('SIGTERM')
      await killAll9() // after a `kill9` the Postgres of the dead server is still there
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function argsOfAnother({ port = 0, args = [] }: AnotherOptions = {}): readonly string[] {
  return [`--port=${port}`, ...args]
}

/** Returns the superuser's URL, which a server never shows. */
function internalUrlOf(databaseUrl: string, dataDir: string): string {
  const secrets = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as { superuserPassword: string }
  const url = new URL(databaseUrl)
  url.username = 'supabase_admin'
  url.password = secrets.superuserPassword
  return url.href
}

/** Returns the process id of the embedded Postgres, from its lock file. */
function postmasterPid(dataDir: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined // not running
  }
}

function killPostmaster(dataDir: string): void {
  const postmaster = postmasterPid(dataDir)
  if (postmaster !== undefined) process.kill(postmaster, 'SIGKILL')
}

async function killProcess(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL')
    // A killed process may linger briefly; init reaps zombies without a parent.
    for (let attempt = 0; attempt < 200; attempt++) {
      process.kill(pid, 0)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  } catch {
    // no such process any more
  }
}
