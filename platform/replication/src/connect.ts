import { Client, type ClientConfig } from 'pg'
import { bufferedSocket, quoteLiteral, rememberConnection, TEXT_SETTINGS } from '@holdfast/postgres'
import { replicationConnectionLost, replicationNotConfigured } from './errors.ts'

/** What makes Postgres print values the same way in the stream and in a snapshot, and keeps it from cutting long work short. */
const SESSION = `
  ${Object.entries(TEXT_SETTINGS)
    .map(([name, value]) => `set ${name} = ${quoteLiteral(value)};`)
    .join('\n  ')}
  set timezone = 'UTC';
  set statement_timeout = 0;
  set lock_timeout = 0;
  set idle_in_transaction_session_timeout = 0;
  select set_config(name, '0', false) from pg_catalog.pg_settings where name = 'transaction_timeout'`

/**
 * Changes of a transaction that has not ended wait in Postgres, in memory up to here, then in files. Writing them there and reading them again, a few system
 * calls for each row, is most of what a walsender does for a large transaction. Half a million rows of 300 bytes fit.
 */
const REPLICATION_SESSION = `
  set logical_decoding_work_mem = '256MB'`

export interface ConnectOptions {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Speak the replication protocol beside SQL. */
  readonly replication: boolean
  readonly connectTimeoutMs?: number
}

/**
 * Opens one connection of the driver with the session settings of replication. The caller ends it.
 *
 * @throws {HoldfastError} `replication_connection_lost` when Postgres cannot be reached, `replication_not_configured` when the
 *   role may not replicate or all senders are taken
 */
export async function connect(options: ConnectOptions): Promise<Client> {
  const config: ClientConfig & { readonly replication?: string } = {
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(options.replication ? { replication: 'database', stream: bufferedSocket } : {}),
  }
  const client = new Client(config)
  // Without a listener a dropped connection would end the process. Whoever uses the client sees the failure in what it awaits.
  client.on('error', () => undefined)
  try {
    await client.connect()
    rememberConnection(client)
    await client.query(options.replication ? `${SESSION};${REPLICATION_SESSION}` : SESSION)
    return client
  } catch (error) {
    await client.end().catch(() => undefined) // the first error tells why
    const code = sqlState(error)
    if (code === '42501' || code === '53300' || code === '55000') throw replicationNotConfigured(error)
    throw replicationConnectionLost(error)
  }
}

/** The SQLSTATE of an error of the driver or of the wire, if it has one. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
