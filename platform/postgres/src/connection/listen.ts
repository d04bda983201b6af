import { Client } from 'pg'
import { backoffMs, delay, errorMessage, type Logger } from '@holdfast/foundation'
import { quoteIdentifier } from '../sql/identifier.ts'

export interface ListenOptions {
  readonly url: string
  /** Channel names of `NOTIFY`. */
  readonly channels: readonly string[]
  readonly applicationName: string
  readonly onNotify: (channel: string, payload: string) => void
  /** Called each time listening begins, the first time included: whatever was notified before may have been missed. */
  readonly onListening?: () => void
  readonly logger: Logger
}

const RECONNECT_MS = { min: 20, max: 1_000 }

/**
 * Listens on a connection of its own and connects again whenever it breaks, until closed.
 *
 * Resolves when listening has begun for the first time; rejects when that fails.
 */
export async function listen(options: ListenOptions): Promise<AsyncDisposable> {
  const stopping = new AbortController()
  let client = await connect(options)
  options.onListening?.()
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('stopped'))
      await client.end().catch(() => undefined) // it may be broken already
      await running
    },
  }

  async function run(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => {
        client.once('end', resolve)
        stopping.signal.addEventListener('abort', () => resolve(), { once: true })
      })
      for (let attempt = 0; !stopping.signal.aborted; attempt++) {
        try {
          await delay(backoffMs(attempt, RECONNECT_MS.min, RECONNECT_MS.max), stopping.signal)
          client = await connect(options)
          if (stopping.signal.aborted) break
          options.onListening?.()
          break
        } catch (error) {
          if (!stopping.signal.aborted) options.logger.log('debug', `cannot listen yet: ${errorMessage(error)}`)
        }
      }
      if (stopping.signal.aborted) {
        await client.end().catch(() => undefined)
        return
      }
    }
  }
}

async function connect(options: ListenOptions): Promise<Client> {
  const client = new Client({
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  client.on('error', () => undefined) // followed by `end`, which the caller waits for
  client.on('notification', (message) => options.onNotify(message.channel, message.payload ?? ''))
  try {
    await client.connect()
    for (const channel of options.channels) await client.query(`listen ${quoteIdentifier(channel)}`)
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}
