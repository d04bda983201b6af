import { HoldfastError, delay } from '@holdfast/foundation'
import { shuttingDown } from '../errors.ts'
import { KEEPALIVE_MS } from '../limits.ts'
import { OpenStreams, type Connection } from './open-streams.ts'

export type { Connection }

/** All open streams: keepalives, the end of tokens, and finding a device's stream. */
export interface Connections extends Disposable {
  readonly size: number
  /** How many different people they are of. */
  readonly people: number
  add(connection: Connection): void
  /** How many one person has. */
  countOf(userId: string): number
  /** Ends the older streams of a device that opens a new one. A device without an id is not told from others. */
  replace(userId: string, clientId: string): void
  delete(connection: Connection): void
  /** Ends a stream whose token is no longer good before its time, and tells the device to fetch another one. */
  expire(connection: Connection, reason: HoldfastError): void
  /** The streams of one device. */
  of(userId: string, clientId: string): Iterable<Connection>
  /** Ends all streams. Others may be opened. */
  endAll(reason: unknown): void
  /** No more streams are to be opened. */
  readonly isDraining: boolean
  /**
   * Lets the devices go: each is told at a checkpoint that its token ends, upon which the public client opens its next stream at once, elsewhere if there
   * is an elsewhere. Resolves when all have gone, or after `timeoutMs`.
   */
  drain(timeoutMs: number): Promise<void>
}

/** The reason with which a stream ends when its token does: not an error. */
export const tokenExpired = new HoldfastError('PSYNC_S2103', 401, 'The token has expired')

/** The reason with which a stream ends when its device does. One for all: a stack is more than the rest of an idle device's session. */
export const deviceLeft = new HoldfastError('connection_closed', 499, 'The device went away')

/** The reason with which a stream ends when its device opens another. */
export const replacedByNewer = new HoldfastError('connection_replaced', 499, 'The device has opened another stream')

const TICK_MS = 1_000
/** A device gets a last warning so long before its token ends, and fetches a new one. */
const WARNING_S = 20

/** Up to 30 s make the public client fetch another token and open its next stream without saying that it was disconnected. */
const LEAVING_S = 10
const DRAIN_POLL_MS = 20

/** Spread, so that streams that were opened at once do not send at once. */
function nextKeepaliveMs(nowMs: number): number {
  return nowMs + KEEPALIVE_MS * (0.9 + Math.random() * 0.2)
}

/** @param now - milliseconds since the epoch */
export function createConnections(now: () => number): Connections {
  const open = new OpenStreams()
  let isDraining = false

  function expire(connection: Connection, reason: HoldfastError): void {
    if (!open.has(connection)) return
    open.remove(connection)
    // The line tells the device to fetch another token before it comes back.
    void connection.sink.control({ token_expires_in: 0 })
    connection.end(reason)
  }

  function tick(): void {
    const nowMs = now()
    open.forEach((connection, state) => {
      const leftS = connection.expiresAtS === undefined ? undefined : Math.floor(connection.expiresAtS - nowMs / 1000)
      if (leftS !== undefined && leftS <= 0) {
        expire(connection, tokenExpired)
        return
      }
      const isWarning = leftS !== undefined && leftS <= WARNING_S && !state.warned
      if (nowMs < state.nextKeepaliveMs && !isWarning) return
      state.warned ||= isWarning
      state.nextKeepaliveMs = nextKeepaliveMs(nowMs)
      void connection.sink.control({ token_expires_in: leftS ?? 3600 })
    })
  }
  const timer = setInterval(tick, TICK_MS)
  timer.unref()

  function endAll(reason: unknown): void {
    for (const connection of open.all()) connection.end(reason)
  }

  return {
    get size() {
      return open.size
    },
    get people() {
      return open.people
    },
    add: (connection) => open.add(connection, nextKeepaliveMs(now())),
    countOf: (userId) => open.countOf(userId),
    replace(userId, clientId) {
      if (clientId === '') return
      for (const older of open.of(userId, clientId)) {
        open.remove(older)
        older.end(replacedByNewer)
      }
    },
    delete: (connection) => open.remove(connection),
    expire,
    get isDraining() {
      return isDraining
    },
    async drain(timeoutMs) {
      isDraining = true
      const told = new Set<Connection>()
      for (
        const deadline = performance.now() + timeoutMs;
        open.size > 0 && performance.now() < deadline;
        await delay(DRAIN_POLL_MS)
      ) {
        for (const connection of open.all()) {
          if (told.has(connection) || !connection.session.isResting) continue
          told.add(connection)
          void connection.sink.control({ token_expires_in: LEAVING_S })
        }
      }
    },
    of: (userId, clientId) => open.of(userId, clientId),
    endAll,
    [Symbol.dispose]() {
      clearInterval(timer)
      endAll(shuttingDown())
    },
  }
}
