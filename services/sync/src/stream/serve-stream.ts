import { randomUUID } from 'node:crypto'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import type { SyncRequest } from '@holdfast/protocol'
import { missingSubject, shuttingDown } from '../errors.ts'
import { PERSON_STREAMS_SHARE } from '../limits.ts'
import { deviceLeft, deviceStalled, type Connection, type Connections } from './connections.ts'
import type { DeviceDescription } from './device-description.ts'
import type { LineSink } from './line-sink.ts'
import { readSyncRequest } from './read-request.ts'
import type { StreamContext } from './stream-context.ts'
import { createStreamSession } from './stream-session.ts'
import { DEFAULT_STREAMS, type RequestedStreams } from './wanted-streams.ts'

/** Watches the session named by a token, until disposed. @param onEnded - called once, when the user has signed out or the account is banned or deleted */
export type WatchSession = (
  claims: Readonly<Record<string, unknown>>,
  onEnded: (reason: HoldfastError) => void,
) => Disposable

export interface StreamServerOptions {
  readonly context: StreamContext
  readonly connections: Connections
  readonly connectionsMax: number
  readonly perPersonMax: number
  /** @throws {HoldfastError} while the plan is not served */
  readonly requireReady: () => void
  readonly watchSession: WatchSession
  /** Records the devices that operators see. */
  readonly seen: {
    connected(connection: Connection): void
    /** @param reason - code of the reason */
    ended(connection: Connection, reason: string): void
  }
}

/** A stream that may be opened. */
export interface AdmittedStream extends Pick<Caller, 'role' | 'claims' | 'expiresAtS'> {
  readonly userId: string
  readonly clientId: string
  readonly body: SyncRequest
}

/** What a transport tells the stream that it carries. */
export interface TransportEvents {
  /** The connection is closed. */
  readonly onClosed: () => void
  /** The device has not read for too long; the transport closes the connection afterwards. */
  readonly onStalled: () => void
}

/** The way to one device: an HTTP response, or a stream of a WebSocket. */
export interface Transport {
  readonly sink: LineSink
  readonly isClosed: boolean
  /** Called when the stream is about to end for a reason: lines that the device has not asked for, or that nobody needs, are not sent. */
  ending(reason: unknown): void
}

/** Serves streams over any transport. */
export interface StreamServer {
  /**
   * Decides whether a device may open a stream, and ends its older one.
   *
   * @param body - the decoded request
   * @throws {HoldfastError} the refusal in the PowerSync service's vocabulary
   */
  admit(caller: Caller, body: unknown): AdmittedStream
  /**
   * Runs an admitted stream until the device disconnects, its token expires or the server stops.
   *
   * @param id - of the request, for the log
   */
  serve(
    stream: AdmittedStream,
    id: string,
    device: DeviceDescription,
    open: (events: TransportEvents) => Transport,
  ): void
}

function tooManyConnections(): HoldfastError {
  return new HoldfastError('PSYNC_S2304', 429, 'Too many devices are connected', { headers: { 'retry-after': '10' } })
}

function tooManyOfUser(max: number): HoldfastError {
  return new HoldfastError('PSYNC_S2304', 429, `This account has ${max} streams open, the most that it may have`, {
    detail: 'Close the app on a device that is not needed. An operator can raise syncStreamsPerPersonMax.',
    headers: { 'retry-after': '10' },
  })
}

export function createStreamServer(options: StreamServerOptions): StreamServer {
  const { context, connections, connectionsMax, seen, watchSession } = options
  const { logger } = context
  const perPersonMax = Math.min(options.perPersonMax, Math.max(1, Math.floor(connectionsMax * PERSON_STREAMS_SHARE)))
  return {
    admit({ role, claims, userId, expiresAtS }, given) {
      if (userId === undefined) throw missingSubject()
      const body = readSyncRequest(given)
      options.requireReady()
      if (connections.isDraining) throw shuttingDown()
      const clientId = body.client_id ?? ''
      connections.replace(userId, clientId)
      if (connections.countOf(userId) >= perPersonMax) throw tooManyOfUser(perPersonMax)
      if (connections.size >= connectionsMax) throw tooManyConnections()
      return { role, claims, userId, expiresAtS, clientId, body }
    },

    serve({ role, claims, userId, expiresAtS, clientId, body }, id, device, open) {
      const abort = new AbortController()
      const transport = open({
        onClosed: () => connection.end(deviceLeft),
        onStalled() {
          logger.log('info', 'a device stopped reading and was cut off', { request: id })
          connection.end(deviceStalled)
        },
      })
      const { sink } = transport
      const session = createStreamSession({
        context,
        session: { role, claims },
        device: clientId === '' ? randomUUID() : `${userId} ${clientId}`,
        sink,
        signal: abort.signal,
        positions: positionsOf(body),
        wanted: wantedOf(body),
        writer: { userId, clientId },
        onEnd(error) {
          if (!abort.signal.aborted) {
            logger.log('error', 'a sync stream failed', {
              request: id,
              reason: errorMessage(error),
              stack: (error as Error).stack,
            })
          }
          watch[Symbol.dispose]()
          connections.delete(connection)
          seen.ended(connection, endOf(error, abort.signal))
          sink.end()
        },
      })
      const connection: Connection = {
        userId,
        clientId,
        device,
        connectedAtMs: Date.now(),
        session,
        sink,
        expiresAtS,
        end(reason) {
          abort.abort(reason)
          session.wake()
          transport.ending(reason)
        },
      }
      connections.add(connection)
      const watch = watchSession(claims, (reason) => connections.expire(connection, reason))
      seen.connected(connection)
      session.start()
      if (transport.isClosed) connection.end(deviceLeft)
    },
  }
}

/** Returns the code of the reason for which a stream ended; `failed` for a bug. */
function endOf(error: unknown, { aborted }: AbortSignal): string {
  return aborted && error instanceof HoldfastError ? error.code : 'failed'
}

const NO_POSITIONS: ReadonlyMap<string, number> = new Map()

function positionsOf({ buckets = [] }: SyncRequest): ReadonlyMap<string, number> {
  return buckets.length === 0 ? NO_POSITIONS : new Map(buckets.map(({ name, after }) => [name, Number(after)]))
}

function wantedOf({ streams }: SyncRequest): RequestedStreams {
  const includeDefaults = streams?.include_defaults !== false
  const subscriptions = streams?.subscriptions ?? []
  return includeDefaults && subscriptions.length === 0 ? DEFAULT_STREAMS : { includeDefaults, subscriptions }
}
