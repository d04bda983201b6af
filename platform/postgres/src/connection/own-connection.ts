import { Client } from 'pg'
import { rememberConnection } from '../wire/lost-connections.ts'
import { queryable, type Queryable } from './pool.ts'

/** A connection for session state: locks and listened channels. */
export interface OwnConnection extends Queryable, AsyncDisposable {
  /** @returns unsubscribes */
  onNotification(listener: () => void): () => void
  /** Calls the listener when either side closes the connection. */
  onEnd(listener: () => void): void
}

export interface OwnConnectionOptions {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
}

/** @throws the connection error */
export async function openOwnConnection({ url, applicationName }: OwnConnectionOptions): Promise<OwnConnection> {
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  client.on('error', () => undefined) // fails the running query as well
  const end = (): Promise<void> => client.end().catch(() => undefined) // possibly broken already
  try {
    await client.connect()
    rememberConnection(client)
  } catch (error) {
    await end()
    throw error
  }
  const { query, execute } = queryable(client)
  return {
    query,
    execute,
    onNotification(listener) {
      client.on('notification', listener)
      return () => client.off('notification', listener)
    },
    onEnd: (listener) => client.once('end', listener),
    [Symbol.asyncDispose]: end,
  }
}
