import { Client } from 'pg'
import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { cutLostConnections } from '../wire/lost-connections.ts'
import { SQLSTATE, sqlstateOf } from '../connection/sqlstate.ts'

export interface WatchServerOptions {
  readonly url: string
  /** How long Postgres may take to answer, in milliseconds. */
  readonly timeoutMs?: number
  readonly logger: Logger
}

/** Whether a Postgres that another person runs answers, as of the last probe. */
export interface ServerWatch extends AsyncDisposable {
  isUp(): boolean
  /** Calls `listener` each time Postgres answers again after it had not. @returns stops the calls */
  onRestart(listener: () => void): () => void
}

/** Milliseconds between two probes. */
const INTERVAL_MS = 1_000
/** The same while Postgres does not answer. */
const DOWN_INTERVAL_MS = 250
/** A server that takes longer for `select 1` hangs, for all that a client can tell. In milliseconds. */
const TIMEOUT_MS = 3_000

/** What a server sends that is there and cannot serve: it starts, stops, or has just crashed. */
const UNAVAILABLE: ReadonlySet<string | undefined> = new Set([
  SQLSTATE.adminShutdown,
  SQLSTATE.crashShutdown,
  SQLSTATE.cannotConnectNow,
])

/** Probes Postgres once a second over one connection that it keeps. Whoever asks gets the last result and waits for nothing. */
export function watchServer({ url, timeoutMs = TIMEOUT_MS, logger }: WatchServerOptions): ServerWatch {
  const stopping = new AbortController()
  const listeners = new Set<() => void>()
  let client: Client | undefined
  let isUp = true

  function disconnect(): void {
    const old = client
    client = undefined
    // Not `end`, which waits for a server that may hang.
    old?.connection.stream.destroy()
  }

  async function askOnce(): Promise<void> {
    if (!client) {
      const next = new Client({ connectionString: url, application_name: 'holdfast health', keepAlive: true })
      client = next
      next.on('error', () => undefined) // the probe under way fails too, or the next one does
      await next.connect()
      const cut = await cutLostConnections(next)
      if (cut > 0) logger.log('warn', 'connections to a Postgres that is gone were cut', { connections: cut })
    }
    await client.query('select 1')
  }

  /** @throws when Postgres does not answer in time, or says that it cannot serve */
  async function probe(): Promise<void> {
    const enough = new AbortController()
    const tooLong = delay(timeoutMs, enough.signal).then(async () => {
      // When it was our own event loop that stood still, the answer may be there and is read first.
      await new Promise((resolve) => setImmediate(resolve))
      throw new Error(`Postgres did not answer within ${timeoutMs} ms`)
    })
    tooLong.catch(() => undefined) // it is not awaited once Postgres has answered
    try {
      await Promise.race([askOnce(), tooLong])
    } catch (error) {
      disconnect()
      throw error
    } finally {
      enough.abort(new Error('answered'))
    }
  }

  /** A connection may end while the server is well: only a second failure counts. */
  async function isAnswering(): Promise<boolean> {
    const isKept = client !== undefined
    try {
      await probe()
      return true
    } catch (error) {
      if (isKept && !stopping.signal.aborted && !/did not answer/.test(errorMessage(error))) return await isAnswering()
      const state = sqlstateOf(error)
      // Any other refusal, such as of one connection too many, comes from a server that is up.
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
