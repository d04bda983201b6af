import { HoldfastError, delay } from '@holdfast/foundation'
import { shuttingDown } from '../errors.ts'
import { KEEPALIVE_MS } from '../limits.ts'
import { OpenStreams, type Connection } from './open-streams.ts'

export type { Connection }

/** All open streams. Sends keepalives, ends streams with expired tokens and finds the streams of a device. */
export interface Connections extends Disposable {
  readonly size: number
  /** Number of distinct users. */
  readonly people: number
  add(connection: Connection): void
  /** Returns the number of streams of one user. */
  countOf(userId: string): number
  /** Ends the older streams of a device that opens a new one. Devices without an id cannot be distinguished. */
  replace(userId: string, clientId: string): void
  delete(connection: Connection): void
  /** Ends a stream whose token is no longer valid, and tells the device to fetch a new one. */
  expire(connection: Connection, reason: HoldfastError): void
  all(): Iterable<Connection>
  /** The streams of one device. */
  of(userId: string, clientId: string): Iterable<Connection>
  /** Ends all streams. New ones may be opened. */
  endAll(reason: unknown): void
  /** Whether new streams must not be opened. */
  readonly isDraining: boolean
  /**
   * Ends all streams gracefully: tells each device, at a checkpoint, that its token expires, so the public client opens its next stream immediately, on
   * another server if there is one. Resolves when all have ended, or `timeoutMs` after the last could have been told.
   *
   * @param perSecondMax - devices told per second, so that other servers are not overrun
   */
  drain(timeoutMs: number, perSecondMax?: number): Promise<void>
}

/** Reason for ending a stream when its token expires; not an error. */
export const tokenExpired = new HoldfastError('PSYNC_S2103', 401, 'The token has expired')

/** Reason for ending a stream when its device disconnects. Shared, because a stack trace is larger than an idle session. */
export const deviceLeft = new HoldfastError('connection_closed', 499, 'The device went away')

/** Reason for ending a stream when its device opens another. */
export const replacedByNewer = new HoldfastError('connection_replaced', 499, 'The device has opened another stream')

/** Reason for ending a stream when its device does not read. */
export const deviceStalled = new HoldfastError('connection_stalled', 499, 'The device stopped reading')

/** Reason for ending a stream when an operator asks for it. The device reconnects. */
export const endedByOperator = new HoldfastError('ended_by_operator', 499, 'An operator has ended the stream')

/** Reason for ending a stream that holds buckets which the reader has deleted. The device reconnects. */
export const bucketsDeleted = new HoldfastError('buckets_deleted', 499, 'Empty buckets of the device were deleted')

const TICK_MS = 1_000
/** Seconds before token expiry at which the device is warned, so that it fetches a new one. */
const WARNING_S = 20

/** With up to 30 s left, the public client fetches another token and opens its next stream without reporting a disconnect. */
const LEAVING_S = 10
const DRAIN_POLL_MS = 20

/** Adds jitter, so that streams opened together do not send together. */
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
    // This line makes the device fetch another token before it reconnects.
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
    async drain(timeoutMs, perSecondMax = Number.POSITIVE_INFINITY) {
      isDraining = true
      const told = new Set<Connection>()
      const beganMs = performance.now()
      const deadline = beganMs + timeoutMs + (open.size / perSecondMax) * 1_000
      for (; open.size > 0 && performance.now() < deadline; await delay(DRAIN_POLL_MS)) {
        const toldMax = Math.ceil(((performance.now() - beganMs + DRAIN_POLL_MS) / 1_000) * perSecondMax)
        for (const connection of open.all()) {
          if (told.size >= toldMax) break
          if (told.has(connection) || !connection.session.isResting) continue
          told.add(connection)
          void connection.sink.control({ token_expires_in: LEAVING_S })
        }
      }
    },
    all: () => open.all(),
    of: (userId, clientId) => open.of(userId, clientId),
    endAll,
    [Symbol.dispose]() {
      clearInterval(timer)
      endAll(shuttingDown())
    },
  }
}
