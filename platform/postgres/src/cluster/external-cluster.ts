import { hkdfSync } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { Client } from 'pg'
import type { Logger } from '@holdfast/foundation'
import { REQUEST_ROLE, type Cluster } from './cluster.ts'
import { externalUnreachable } from './errors.ts'
import { createSecrets, takeSecrets } from './secrets.ts'
import { watchServer } from './watch-server.ts'

export interface ExternalClusterOptions {
  /** `postgres://user:password@host:port/database` of a user who may create schemas and, best, is a superuser. */
  readonly url: string
  /** How requests log in. Default: role `authenticator` on the same database, with a password that Holdfast makes and keeps in `dataDir`. */
  readonly requestUrl?: string
  /** Holds the password of `authenticator`. */
  readonly dataDir: string
  /** How long Postgres may take to answer a probe, in milliseconds. */
  readonly timeoutMs?: number
  readonly logger: Logger
}

/**
 * Uses a Postgres that somebody else runs. Nothing is started, and nothing is stopped at the end. Whether it answers is probed once a second.
 *
 * @throws {HoldfastError} `postgres_unreachable`
 */
export async function openExternalCluster(options: ExternalClusterOptions): Promise<Cluster> {
  const address = new URL(options.url)
  const client = new Client({ connectionString: options.url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined) // a broken connection also rejects the statement
  try {
    await client.connect()
    const { rows } = await client.query<{ wal_level: string }>(`select current_setting('wal_level') as wal_level`)
    if (rows[0]?.wal_level !== 'logical') {
      options.logger.log(
        'warn',
        `wal_level is ${rows[0]?.wal_level}: sync needs "logical" (set it and restart that Postgres)`,
      )
    }
  } catch (error) {
    throw externalUnreachable(address.host, error)
  } finally {
    await client.end().catch(() => undefined)
  }
  const watch = watchServer(options)
  return {
    kind: 'external',
    adminUrl: options.url,
    internalUrl: options.url,
    requestUrl: options.requestUrl ?? requestUrl(address, options.dataDir, options.logger),
    databasePort: Number(address.port || 5432),
    isUp: watch.isUp,
    onRestart: watch.onRestart,
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  }
}

/**
 * The password of the request role follows from that of the configured user, so that servers with data folders of their own do not take it from each other.
 * When there is none, it is kept in the data folder.
 */
function requestPassword(address: URL, dataDir: string, logger: Logger): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const stored = takeSecrets(dataDir, logger)
  if (stored) return stored.authenticatorPassword
  if (address.password === '') return createSecrets(dataDir).authenticatorPassword
  const derived = hkdfSync('sha256', decodeURIComponent(address.password), '', 'holdfast authenticator', 32)
  return Buffer.from(derived).toString('base64url')
}

function requestUrl(address: URL, dataDir: string, logger: Logger): string {
  const url = new URL(address)
  // Supabase's poolers expect "role.project" as the user.
  const tenant = /\.(.+)$/.exec(address.username)?.[0] ?? ''
  url.username = `${REQUEST_ROLE}${tenant}`
  url.password = requestPassword(address, dataDir, logger)
  return url.href
}
