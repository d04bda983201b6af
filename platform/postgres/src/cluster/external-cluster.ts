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
  /** `postgres://user:password@host:port/database` of a user that may create schemas, ideally a superuser. */
  readonly url: string
  /** May contain a password of `authenticator`. */
  readonly dataDir: string
  /** Probe timeout in ms. */
  readonly timeoutMs?: number
  readonly logger: Logger
}

/**
 * Connects to an external Postgres. Never starts or stops it; probes it once per second.
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
 * Returns the possible passwords of the request role, preferred one first: derived from the configured user's password, which other servers also know, and the
 * one in the data folder, from an earlier embedded cluster or a URL without password. Generates one if there is none.
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
