import { Client, type ClientConfig } from 'pg'
import { bufferedSocket, quoteLiteral, rememberConnection, TEXT_SETTINGS } from '@holdfast/postgres'
import { replicationConnectionLost, replicationNotConfigured } from './errors.ts'

/** Makes Postgres print values identically in stream and snapshot, and disables timeouts. */
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
 * Memory in Postgres for changes of unfinished transactions before they spill to files. Spilling takes several system calls per row and dominates a walsender's
 * work on large transactions. Fits half a million rows of 300 bytes.
 */
const REPLICATION_SESSION = `
  set logical_decoding_work_mem = '256MB'`

export interface ConnectOptions {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Whether to use the replication protocol beside SQL. */
  readonly replication: boolean
  readonly connectTimeoutMs?: number
}

/**
 * Opens a driver connection with replication's session settings, owned by the caller.
 *
 * @throws {HoldfastError} `replication_connection_lost` if Postgres is unreachable, `replication_not_configured` if the role may not replicate or no sender is
 * free
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
  // Without a listener a dropped connection would crash the process. Awaited calls report the failure.
  client.on('error', () => undefined)
  try {
    await client.connect()
    rememberConnection(client)
    await client.query(options.replication ? `${SESSION};${REPLICATION_SESSION}` : SESSION)
    return client
  } catch (error) {
    await client.end().catch(() => undefined) // report the first error
    const code = sqlState(error)
    if (code === '42501' || code === '53300' || code === '55000') throw replicationNotConfigured(error)
    throw replicationConnectionLost(error)
  }
}

/** Returns the SQLSTATE of a driver or wire error, if any. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
