import { Socket } from 'node:net'
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
  /** Called each time listening is interrupted: until it begins again, nothing that is notified arrives. */
  readonly onLost?: () => void
  readonly logger: Logger
}

const RECONNECT_MS = { min: 20, max: 1_000 }

/** Milliseconds between two probes, and that an answer may take: a line that is dead without a word is noticed within twice as many. */
const PROBE_MS = 2_000

/**
 * Listens on a connection of its own and connects again whenever it breaks or does not answer, until closed.
 *
 * Resolves when listening has begun for the first time; rejects when that fails.
 */
export async function listen(options: ListenOptions): Promise<AsyncDisposable> {
  const stopping = new AbortController()
  let client = await connect(options, stopping.signal)
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
      if (!stopping.signal.aborted) options.onLost?.()
      for (let attempt = 0; !stopping.signal.aborted; attempt++) {
        try {
          await delay(backoffMs(attempt, RECONNECT_MS.min, RECONNECT_MS.max), stopping.signal)
          client = await connect(options, stopping.signal)
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

async function connect(options: ListenOptions, signal: AbortSignal): Promise<Client> {
  const socket = new Socket()
  const giveUp = (): void => void socket.destroy()
  signal.addEventListener('abort', giveUp, { once: true })
  const client = new Client({
    connectionString: options.url,
    stream: () => socket,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  client.on('error', () => undefined) // followed by `end`, which the caller waits for
  client.on('notification', (message) => options.onNotify(message.channel, message.payload ?? ''))
  try {
    await client.connect()
    await client.query(options.channels.map((channel) => `listen ${quoteIdentifier(channel)}`).join('; '))
    probe(client, socket)
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** Cuts the connection when it does not answer; the caller then sees it end. */
function probe(client: Client, socket: Socket): void {
  let isAnswered = true
  const timer = setInterval(() => {
    // An answer that came while this process was busy is read before the next turn's end.
    if (!isAnswered) {
      setImmediate(() => {
        if (!isAnswered) socket.destroy()
      })
      return
    }
    isAnswered = false
    client.query('select').then(
      () => (isAnswered = true),
      () => undefined, // the connection ends
    )
  }, PROBE_MS)
  timer.unref()
  client.once('end', () => clearInterval(timer))
}
