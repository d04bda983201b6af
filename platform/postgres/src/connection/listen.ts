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
  /** Called each time listening starts, including the first: earlier notifications may have been missed. */
  readonly onListening?: () => void
  /** Called each time listening is interrupted; notifications are lost until it resumes. */
  readonly onLost?: () => void
  readonly logger: Logger
}

const RECONNECT_MS = { min: 20, max: 1_000 }

/** Probe interval and timeout in ms: a silently dead connection is detected within twice this time. */
const PROBE_MS = 2_000

/**
 * Listens on a dedicated connection and reconnects whenever it breaks or does not respond, until closed.
 *
 * Resolves when listening has first started; rejects if that fails.
 */
export async function listen(options: ListenOptions): Promise<AsyncDisposable> {
  const stopping = new AbortController()
  let client = await connect(options, stopping.signal)
  options.onListening?.()
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('stopped'))
      await client.end().catch(() => undefined) // possibly broken already
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
  client.on('error', () => undefined) // followed by `end`, which is awaited
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

/** Disconnects if there is no response; the caller sees the connection end. */
function probe(client: Client, socket: Socket): void {
  let isAnswered = true
  const timer = setInterval(() => {
    // A response that arrived while this process was busy is read before the end of the next turn.
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
