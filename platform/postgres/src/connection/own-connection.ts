import { Client } from 'pg'
import { rememberConnection } from '../wire/lost-connections.ts'
import { queryable, type Queryable } from './pool.ts'

/** One connection, for what belongs to a session: its locks and the channels that it listens to. */
export interface OwnConnection extends Queryable, AsyncDisposable {
  /** @returns what ends it */
  onNotification(listener: () => void): () => void
  /** Calls the listener when the connection is closed by whichever side. */
  onEnd(listener: () => void): void
}

export interface OwnConnectionOptions {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
}

/** @throws what the connection fails with */
export async function openOwnConnection({ url, applicationName }: OwnConnectionOptions): Promise<OwnConnection> {
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  client.on('error', () => undefined) // the running query fails with it
  const end = (): Promise<void> => client.end().catch(() => undefined) // it may be broken already
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
