import { Client } from 'pg'
import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { cutLostConnections } from '../wire/lost-connections.ts'
import { SQLSTATE, sqlstateOf } from '../connection/sqlstate.ts'

export interface WatchServerOptions {
  readonly url: string
  /** Response timeout in ms. */
  readonly timeoutMs?: number
  readonly logger: Logger
}

/** Whether an external Postgres responds, as of the last probe. */
export interface ServerWatch extends AsyncDisposable {
  isUp(): boolean
  /** Calls `listener` each time Postgres responds again. @returns unsubscribes */
  onRestart(listener: () => void): () => void
}

/** Interval in ms between probes. */
const INTERVAL_MS = 1_000
/** The same while Postgres is down. */
const DOWN_INTERVAL_MS = 250
/** Timeout in ms for `select 1`, above which the server counts as hanging. */
const TIMEOUT_MS = 3_000

/** SQLSTATEs of a server that is starting, stopping, or recovering from a crash. */
const UNAVAILABLE: ReadonlySet<string | undefined> = new Set([
  SQLSTATE.adminShutdown,
  SQLSTATE.crashShutdown,
  SQLSTATE.cannotConnectNow,
])

/** Probes Postgres once per second over a persistent connection. Callers get the last result without waiting. */
export function watchServer({ url, timeoutMs = TIMEOUT_MS, logger }: WatchServerOptions): ServerWatch {
  const stopping = new AbortController()
  const listeners = new Set<() => void>()
  let client: Client | undefined
  let isUp = true

  function disconnect(): void {
    const old = client
    client = undefined
    // Not `end`, which waits for a hanging server.
    old?.connection.stream.destroy()
  }

  async function askOnce(): Promise<void> {
    if (!client) {
      const next = new Client({ connectionString: url, application_name: 'holdfast health', keepAlive: true })
      client = next
      next.on('error', () => undefined) // the current or next probe fails, too
      await next.connect()
      const cut = await cutLostConnections(next)
      if (cut > 0) logger.log('warn', 'connections to a Postgres that is gone were cut', { connections: cut })
    }
    await client.query('select 1')
  }

  /** @throws if Postgres does not respond in time, or reports that it is unavailable */
  async function probe(): Promise<void> {
    const enough = new AbortController()
    const tooLong = delay(timeoutMs, enough.signal).then(async () => {
      // If our own event loop was blocked, read a pending response first.
      await new Promise((resolve) => setImmediate(resolve))
      throw new Error(`Postgres did not answer within ${timeoutMs} ms`)
    })
    tooLong.catch(() => undefined) // not awaited once Postgres has responded
    try {
      await Promise.race([askOnce(), tooLong])
    } catch (error) {
      disconnect()
      throw error
    } finally {
      enough.abort(new Error('answered'))
    }
  }

  /** Retries once, because a single connection may end while the server is fine. */
  async function isAnswering(): Promise<boolean> {
    const isKept = client !== undefined
    try {
      await probe()
      return true
    } catch (error) {
      if (isKept && !stopping.signal.aborted && !/did not answer/.test(errorMessage(error))) return await isAnswering()
      const state = sqlstateOf(error)
      // Any other error, such as too many connections, comes from a running server.
      if (state !== undefined && !UNAVAILABLE.has(state)) return true
      if (isUp) logger.log('error', 'Postgres does not answer', { reason: errorMessage(error) })
      return false
    }
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const wasUp = isUp
      isUp = await isAnswering()
      if (isUp && !wasUp) {
        logger.log('info', 'Postgres answers again')
        for (const listener of listeners) listener()
      }
      await delay(isUp ? INTERVAL_MS : DOWN_INTERVAL_MS, stopping.signal).catch(() => undefined) // stopping ends the loop
    }
    disconnect()
  }

  const watching = watch()
  return {
    isUp: () => isUp,
    onRestart(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('stopped'))
      disconnect()
      await watching
    },
  }
}
