import { Client } from 'pg'
import { bufferedSocket } from './read-buffer.ts'

const CONNECT_TIMEOUT_MS = 20_000

/**
 * Connects once. A failure between statements is reported by the next one.
 *
 * @param settings - of the session, as `options` of a connection string
 * @throws errors of the driver or Postgres
 */
export async function openQuietClient(url: string, applicationName: string, settings?: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    options: settings,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    stream: bufferedSocket,
  })
  client.on('error', () => undefined) // the awaited call reports the failure
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => undefined) // possibly broken already
    throw error
  }
}
