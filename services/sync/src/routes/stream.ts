import type { ServerResponse } from 'node:http'
import type { FastifyPluginAsync } from 'fastify'
import { forgetBody, requireCaller } from '@holdfast/http'
import { BSON_STREAM, NDJSON_STREAM } from '../encode/lines.ts'
import { REQUEST_BYTES_MAX } from '../limits.ts'
import { replacedByNewer } from '../stream/connections.ts'
import { describeDevice } from '../stream/device-description.ts'
import { createLineSink, fullConnectionOf, type LineSinkOptions } from '../stream/line-sink.ts'
import { acceptsGzip, chooseFormat } from '../stream/read-request.ts'
import type { StreamServer, Transport, TransportEvents } from '../stream/serve-stream.ts'

export interface StreamRouteOptions {
  readonly server: StreamServer
  /** Whether to compress for devices that accept gzip. */
  readonly compress: boolean
}

/** `POST /sync/stream`: streams to one device until its token expires. Source: the PowerSync service's sync protocol. */
export function streamRoutes({ server, compress }: StreamRouteOptions): FastifyPluginAsync {
  return async (app) => {
    app.post('/sync/stream', { bodyLimit: REQUEST_BYTES_MAX }, async (request, reply) => {
      const admitted = server.admit(requireCaller(request), request.body)
      const { body } = admitted
      const format = chooseFormat(request.headers.accept, body)
      const response = reply.raw
      const isCompressed = compress && acceptsGzip(request.headers['accept-encoding'])
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
      server.serve(admitted, id, device, (events) => openResponse({ response, format, isCompressed }, events))
    })
  }
}

function openResponse(
  options: Pick<LineSinkOptions, 'response' | 'format' | 'isCompressed'>,
  { onClosed, onStalled }: TransportEvents,
): Transport {
  const { response }: { readonly response: ServerResponse } = options
  response.once('close', onClosed)
  return {
    sink: createLineSink({ ...options, onStalled }),
    get isClosed() {
      return response.destroyed
    },
    ending(reason) {
      // Discards unread lines: the device reads the newer stream instead.
      if (reason === replacedByNewer && fullConnectionOf(response)) response.destroy()
    },
  }
}
