import { hkdfSync } from 'node:crypto'
import { Client } from 'pg'
import { assert, type Logger } from '@holdfast/foundation'
import { withOwnSettings } from '../connection/own-settings.ts'
import { REQUEST_ROLE, type Cluster } from './cluster.ts'
import { prepareDataFolder } from './data-folder.ts'
import { externalUnreachable } from './errors.ts'
import { createSecrets, takeSecrets } from './secrets.ts'
import { watchServer } from './watch-server.ts'

export interface ExternalClusterOptions {
  /** `postgres://user:password@host:port/database` of a user who may create schemas and, best, is a superuser. */
  readonly url: string
  /** May hold a password of `authenticator`. */
  readonly dataDir: string
  /** How long Postgres may take to answer a probe, in milliseconds. */
  readonly timeoutMs?: number
  readonly logger: Logger
}

/**
 * Uses a Postgres that another person runs. Nothing is started, and nothing is stopped at the end. Whether it answers is probed once a second.
 *
 * @throws {HoldfastError} `postgres_unreachable`
 */
export async function openExternalCluster(options: ExternalClusterOptions): Promise<Cluster> {
  const address = new URL(options.url)
  const client = new Client({ connectionString: withOwnSettings(options.url, 0), connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined) // a broken connection also rejects the statement
  let serverVersion: number
  try {
    await client.connect()
    const { rows } = await client.query<{ wal_level: string; version: number }>(
      `select current_setting('wal_level') as wal_level, current_setting('server_version_num')::int as version`,
    )
    const [server] = rows
    assert(server !== undefined, 'a statement without a condition answers with one row')
    serverVersion = server.version
    if (server.wal_level !== 'logical') {
      options.logger.log(
        'warn',
        `wal_level is ${server.wal_level}: sync needs "logical" (set it and restart that Postgres)`,
      )
    }
  } catch (error) {
    throw externalUnreachable(address.host, error)
  } finally {
    await client.end().catch(() => undefined)
  }
  const [requestUrl, ...otherRequestUrls] = requestPasswords(address, options).map((password) =>
    requestUrlWith(address, password),
  ) as [string, ...string[]]
  const watch = watchServer({ ...options, url: withOwnSettings(options.url, serverVersion) })
  return {
    kind: 'external',
    adminUrl: options.url,
    internalUrl: options.url,
    requestUrl,
    otherRequestUrls,
    databasePort: Number(address.port || 5432),
    serverVersion,
    isUp: watch.isUp,
    onRestart: watch.onRestart,
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  }
}

/**
 * The passwords that the request role may have, the preferred one first: what follows from the password of the configured user, which other servers know as well,
 * and that of a data folder which had a Postgres of its own, or was used with an address without a password. One is made where there is none.
 */
function requestPasswords(
  address: URL,
  { dataDir, logger }: Pick<ExternalClusterOptions, 'dataDir' | 'logger'>,
): readonly string[] {
  prepareDataFolder(dataDir)
  const stored = takeSecrets(dataDir, logger)?.authenticatorPassword
  if (address.password === '') return [stored ?? createSecrets(dataDir).authenticatorPassword]
  const derived = hkdfSync('sha256', decodeURIComponent(address.password), '', 'holdfast authenticator', 32)
  return [Buffer.from(derived).toString('base64url'), ...(stored === undefined ? [] : [stored])]
}

function requestUrlWith(address: URL, password: string): string {
  const url = new URL(address)
  // Supabase's poolers expect "role.project" as the user.
  const tenant = /\.(.+)$/.exec(address.username)?.[0] ?? ''
  url.username = `${REQUEST_ROLE}${tenant}`
  url.password = password
  return url.href
}
