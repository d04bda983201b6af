import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { FastifyPluginAsync } from 'fastify'
import { HoldfastError, errorMessage } from '@holdfast/foundation'
import { forgetBody, requireCaller, type Caller } from '@holdfast/http'
import type { SyncRequest } from '@holdfast/protocol'
import { BSON_STREAM, NDJSON_STREAM, type LineFormat } from '../encode/lines.ts'
import { missingSubject, shuttingDown } from '../errors.ts'
import { PERSON_STREAMS_SHARE, REQUEST_BYTES_MAX } from '../limits.ts'
import type { WatchSession } from '../options.ts'
import type { SeenDevices } from '../devices/seen-devices.ts'
import { deviceLeft, deviceStalled, replacedByNewer, type Connection, type Connections } from '../stream/connections.ts'
import { describeDevice, type DeviceDescription } from '../stream/device-description.ts'
import { createLineSink, fullConnectionOf } from '../stream/line-sink.ts'
import { acceptsGzip, chooseFormat, readSyncRequest } from '../stream/read-request.ts'
import type { StreamContext } from '../stream/stream-context.ts'
import { createStreamSession } from '../stream/stream-session.ts'
import { DEFAULT_STREAMS, type RequestedStreams } from '../stream/wanted-streams.ts'

export interface StreamRouteOptions {
  readonly context: StreamContext
  readonly connections: Connections
  readonly connectionsMax: number
  readonly perPersonMax: number
  /** Whether to compress for devices that accept gzip. */
  readonly compress: boolean
  /** @throws {HoldfastError} while the plan is not served */
  readonly requireReady: () => void
  readonly watchSession: WatchSession
  readonly seen: Pick<SeenDevices, 'connected' | 'ended'>
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

/** `POST /sync/stream`: streams to one device until its token expires. Source: the PowerSync service's sync protocol. */
export function streamRoutes(options: StreamRouteOptions): FastifyPluginAsync {
  const { connections, connectionsMax } = options
  const perPersonMax = Math.min(options.perPersonMax, Math.max(1, Math.floor(connectionsMax * PERSON_STREAMS_SHARE)))
  return async (app) => {
    app.post('/sync/stream', { bodyLimit: REQUEST_BYTES_MAX }, async (request, reply) => {
      const { role, claims, userId, expiresAtS } = requireCaller(request)
      if (userId === undefined) throw missingSubject()
      const body = readSyncRequest(request.body)
      options.requireReady()
      if (connections.isDraining) throw shuttingDown()
      const clientId = body.client_id ?? ''
      connections.replace(userId, clientId)
      if (connections.countOf(userId) >= perPersonMax) throw tooManyOfUser(perPersonMax)
      if (connections.size >= connectionsMax) throw tooManyConnections()

      const format = chooseFormat(request.headers.accept, body)
      const response = reply.raw
      const isCompressed = options.compress && acceptsGzip(request.headers['accept-encoding'])
      const headers = {
        ...reply.getHeaders(),
        'content-type': format.kind === 'bson' ? BSON_STREAM : NDJSON_STREAM,
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        ...(isCompressed ? { 'content-encoding': 'gzip', vary: 'accept-encoding' } : {}),
      }
      reply.hijack()
      response.writeHead(200, headers as Record<string, string>)
      response.socket?.setNoDelay(true)
      response.flushHeaders()

      const { id } = request
      const device = describeDevice(request.headers, body.app_metadata, request.ip)
      // The request object lives as long as its response, so everything not needed at the end is released.
      forgetBody(request)
      request.caller = undefined
      request.raw.headers = {}
      request.raw.rawHeaders = []
      serve({
        ...options,
        id,
        device,
        role,
        claims,
        userId,
        clientId,
        expiresAtS,
        body,
        response,
        format,
        isCompressed,
      })
    })
  }
}

interface Stream extends StreamRouteOptions, Pick<Caller, 'role' | 'claims' | 'expiresAtS'> {
  /** Request id for the log. */
  readonly id: string
  readonly device: DeviceDescription
  readonly userId: string
  readonly clientId: string
  readonly body: SyncRequest
  readonly response: ServerResponse
  readonly format: LineFormat
  readonly isCompressed: boolean
}

/** Runs a stream after its head is written, until the device disconnects, its token expires or the server stops. */
function serve(stream: Stream): void {
  const { context, connections, id, role, claims, userId, clientId, expiresAtS, body, response } = stream
  const { format, isCompressed, device, seen } = stream
  const abort = new AbortController()
  const { logger } = context
  const sink = createLineSink({
    response,
    format,
    isCompressed,
    onStalled() {
      logger.log('info', 'a device stopped reading and was cut off', { request: id })
      connection.end(deviceStalled)
    },
  })
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
      // Discards unread lines: the device reads the newer stream instead.
      if (reason === replacedByNewer && fullConnectionOf(response)) response.destroy()
    },
  }
  connections.add(connection)
  const watch = stream.watchSession(claims, (reason) => connections.expire(connection, reason))
  response.once('close', () => connection.end(deviceLeft))
  seen.connected(connection)
  session.start()
  if (response.destroyed) connection.end(deviceLeft)
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
