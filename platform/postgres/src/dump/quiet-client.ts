import { Client } from 'pg'
import { bufferedSocket } from '../wire/read-buffer.ts'

const CONNECT_TIMEOUT_MS = 20_000

/** Connects once. A failure between two statements is told by the next one. */
export async function openQuietClient(url: string, applicationName: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    stream: bufferedSocket,
  })
  client.on('error', () => undefined) // the caller sees the failure in what it awaits
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => undefined) // it may be broken already
    throw error
  }
}
