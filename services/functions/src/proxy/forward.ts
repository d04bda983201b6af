import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { pipeline, type Duplex, type Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { delay, errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { isUpgrade, takeUpgrade } from '@holdfast/http'
import { END_REASON_MS } from '../limits.ts'
import { idleTimeout, sendPlatformError, workerError, workerLimit, type PlatformError } from '../platform-errors.ts'
import type { EndReason, Worker } from '../process/worker.ts'
import { endToEnd, requestHeaders, responseHeaders } from './headers.ts'

export interface ForwardOptions {
  /** As the function sees it: its name, the path below it, and the query. */
  readonly path: string
  readonly idleTimeoutMs: number
  readonly logger: Logger
}

/**
 * Passes a request on to a function, and the answer back, both as they come. Whoever goes away first ends it for the other: an aborted request ends that of
 * the function (`request.signal`), a function that ends in the middle of its answer cuts the connection. No request is ever sent twice.
 *
 * @returns when everything of it is over
 */
export async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  worker: Worker,
  options: ForwardOptions,
): Promise<void> {
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const upstream = openUpstream(request, worker, options.path)
  let isAnswered = false
  const answer = (error: PlatformError): void => {
    isAnswered = true
    upstream.destroy()
    sendPlatformError(reply, error)
  }
  const answerEnd = async (error: Error): Promise<void> => {
    const reason = await explainEnd(worker, error, options.logger)
    if (!isAnswered && !reply.raw.destroyed) answer(reason)
  }
  const patience = setTimeout(() => answer(idleTimeout), options.idleTimeoutMs)
  reply.raw.once('close', () => {
    clearTimeout(patience)
    upstream.destroy()
    end()
  })
  upstream.once('response', (response) => {
    if (isAnswered) return
    isAnswered = true
    clearTimeout(patience)
    passBack(response, reply, request.id)
  })
  upstream.once('upgrade', (response, socket, head) => {
    isAnswered = true
    clearTimeout(patience)
    splice(request, reply, response, socket, head, end)
  })
  upstream.once('error', (error) => {
    if (isAnswered || reply.raw.destroyed) return
    clearTimeout(patience)
    void answerEnd(error)
  })
  sendBody(request, upstream, (error) => {
    if (isAnswered || !(error instanceof HoldfastError)) return
    // The body stalls: the gateway's own refusal.
    answer({ status: error.status, code: error.code, body: { code: error.code, message: error.message } })
  })
  await over
}

function openUpstream(request: FastifyRequest, worker: Worker, path: string): ClientRequest {
  const { raw } = request
  const headers = requestHeaders(raw.rawHeaders, {
    for: request.ip,
    proto: request.protocol,
    host: request.host,
    requestId: request.id,
  })
  const isUpgraded = isUpgrade(request)
  if (isUpgraded) headers.push('connection', 'upgrade', 'upgrade', 'websocket')
  else if (raw.headers['transfer-encoding'] !== undefined) headers.push('transfer-encoding', 'chunked')
  return httpRequest({
    socketPath: worker.socketPath,
    method: raw.method,
    path,
    headers,
    ...(isUpgraded ? { agent: false } : { agent: worker.agent }),
  })
}

function sendBody(request: FastifyRequest, upstream: ClientRequest, onError: (error: unknown) => void): void {
  const body = request.body as Readable | undefined
  if (!body) {
    upstream.end()
    return
  }
  body.once('error', onError)
  body.pipe(upstream)
}

function passBack(response: IncomingMessage, reply: FastifyReply, requestId: string): void {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(response.statusCode ?? 500, responseHeaders(response.rawHeaders, requestId))
  // What a function streams may begin long after its head.
  raw.flushHeaders()
  pipeline(response, raw, (error) => {
    if (error) raw.destroy()
  })
}

/** From here on the connection is between the client and the function. */
function splice(
  request: FastifyRequest,
  reply: FastifyReply,
  response: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  end: () => void,
): void {
  const taken = takeUpgrade(request, reply)
  if (!taken) {
    socket.destroy()
    reply.raw.destroy()
    end()
    return
  }
  const client = taken.socket
  const lines = ['HTTP/1.1 101 Switching Protocols', 'connection: upgrade', 'upgrade: websocket']
  const rest = endToEnd(response.rawHeaders)
  for (let index = 0; index + 1 < rest.length; index += 2) lines.push(`${rest[index]}: ${rest[index + 1]}`)
  client.write(`${lines.join('\r\n')}\r\n\r\n`)
  if (head.length > 0) client.write(head)
  if (taken.head.length > 0) socket.write(taken.head)
  for (const [from, to] of [
    [client, socket],
    [socket, client],
  ] as const) {
    from.on('error', () => to.destroy())
    from.once('close', () => {
      to.destroy()
      end()
    })
    from.pipe(to)
  }
}

/** Why there is no answer: the end of the process may be heard of a moment after that of the connection. */
async function explainEnd(worker: Worker, error: Error, logger: Logger): Promise<PlatformError> {
  const reason = await Promise.race<EndReason | undefined>([worker.ended, delay(END_REASON_MS).then(() => undefined)])
  if (reason === 'memory' || reason === 'cpu' || reason === 'wall_clock') return workerLimit
  if (reason === undefined) logger.log('error', 'a function closed a connection', { error: errorMessage(error) })
  return workerError
}
