import { request as httpRequest, type IncomingMessage } from 'node:http'
import { pipeline, type Duplex, type Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import { delay, errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { isUpgrade, takeUpgrade } from '@holdfast/http'
import { END_REASON_MS } from '../limits.ts'
import { idleTimeout, sendPlatformError, workerError, workerLimit, type PlatformError } from '../platform-errors.ts'
import type { EndReason } from '../process/worker-state.ts'
import type { Worker } from '../process/worker.ts'
import { endToEnd, requestHeaders, responseHeaders } from './headers.ts'
import { writeAnswer } from './write-answer.ts'

export interface ForwardOptions {
  /** As seen by the function: its name, the remaining path, and the query. */
  readonly path: string
  readonly idleTimeoutMs: number
  readonly logger: Logger
}

/**
 * Streams a request to a function and its response back. Aborts propagate: an aborted request fires `request.signal`, and a function that ends mid-response
 * cuts the connection. Requests are never retried.
 *
 * @returns when the exchange has completely ended
 */
export async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  worker: Worker,
  options: ForwardOptions,
): Promise<void> {
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const exchange = openExchange(request, reply, worker, options)
  reply.raw.once('close', () => {
    exchange.stop()
    end()
  })
  if (isUpgrade(request)) sendUpgrade(exchange, end)
  else sendRequest(exchange)
  await over
}

/** A request in progress. */
interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly worker: Worker
  readonly path: string
  /** Headers of the request to the function. */
  readonly headers: string[]
  /** Aborts the request to the function; set when it is sent. */
  abort: () => void
  /** Ends the exchange: nothing more is sent to the caller. */
  stop(): void
  /** Starts the function's response. @returns false if a response was already started */
  begin(): boolean
  isBegun(): boolean
  /** The function did not respond. */
  fail(error: Error): void
}

function openExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  worker: Worker,
  { path, idleTimeoutMs, logger }: ForwardOptions,
): Exchange {
  let state: 'waiting' | 'begun' | 'refused' = 'waiting'
  const refuse = (error: PlatformError): void => {
    if (state !== 'waiting' || reply.raw.destroyed) return
    state = 'refused'
    exchange.stop()
    sendPlatformError(reply, error)
  }
  const explain = async (error: Error): Promise<void> => refuse(await explainEnd(worker, error, logger))
  const patience = setTimeout(() => refuse(idleTimeout), idleTimeoutMs)
  const { raw } = request
  const forwarded = { for: request.ip, proto: request.protocol, host: request.host, requestId: request.id }
  const exchange: Exchange = {
    request,
    reply,
    worker,
    path,
    headers: requestHeaders(raw.rawHeaders, forwarded),
    abort: () => undefined,
    stop() {
      clearTimeout(patience)
      exchange.abort()
    },
    begin() {
      if (state !== 'waiting') return false
      state = 'begun'
      clearTimeout(patience)
      return true
    },
    isBegun: () => state === 'begun',
    fail(error) {
      if (error !== GONE) worker.suspect()
      if (state === 'begun') reply.raw.destroy()
      if (state !== 'waiting' || reply.raw.destroyed) return
      // The body stalled: the gateway's own refusal.
      if (error instanceof HoldfastError) refuse({ status: error.status, code: error.code, body: bodyOf(error) })
      else void explain(error)
    },
  }
  return exchange
}

function bodyOf({ code, message }: HoldfastError): PlatformError['body'] {
  return { code, message }
}

/** Aborts a request whose caller is gone or already answered. */
const GONE = new Error('the caller disconnected')

/** Uses a kept-alive connection. `undici` never retries a request it has started to send. */
function sendRequest(exchange: Exchange): void {
  const { request, reply, worker, path, headers } = exchange
  const { raw } = reply
  let controller: Dispatcher.DispatchController | undefined
  let isAborted = false
  const answer = writeAnswer(raw)
  exchange.abort = () => {
    isAborted = true
    controller?.abort(GONE)
  }
  raw.on('drain', () => controller?.resume())
  const method = request.method as Dispatcher.HttpMethod
  const body = (request.body as Readable | undefined) ?? null
  worker.pool.dispatch(
    { path, method, headers, body },
    {
      onRequestStart(started) {
        controller = started
        if (isAborted) started.abort(GONE)
      },
      onResponseStart(started, status) {
        if (status < 200 || !exchange.begin()) return
        reply.hijack()
        answer.begin(status, responseHeaders(textsOf(started.rawHeaders), request.id))
      },
      onResponseData(started, chunk) {
        if (exchange.isBegun() && !answer.write(chunk)) started.pause()
      },
      onResponseEnd() {
        if (exchange.isBegun()) answer.end()
      },
      onResponseError: (_controller, error) => exchange.fail(error),
    },
  )
}

/** Preserves non-ASCII bytes. */
function textsOf(raw: Dispatcher.DispatchController['rawHeaders']): readonly string[] {
  return ((raw ?? []) as readonly (Buffer | string)[]).map((one) =>
    typeof one === 'string' ? one : one.toString('latin1'),
  )
}

/** Uses a separate connection, which becomes the WebSocket's. */
function sendUpgrade(exchange: Exchange, end: () => void): void {
  const { request, reply, worker, path, headers } = exchange
  const upstream = httpRequest({
    socketPath: worker.socketPath,
    method: request.method,
    path,
    headers: [...headers, 'connection', 'upgrade', 'upgrade', 'websocket'],
    agent: false,
  })
  exchange.abort = () => void upstream.destroy()
  upstream.once('response', (response) => {
    if (!exchange.begin()) return
    reply.hijack()
    reply.raw.writeHead(response.statusCode ?? 500, responseHeaders(response.rawHeaders, request.id))
    pipeline(response, reply.raw, (error) => {
      if (error) reply.raw.destroy()
    })
  })
  upstream.once('upgrade', (response, socket, head) => {
    if (exchange.begin()) splice(request, reply, response, socket, head, end)
    else socket.destroy()
  })
  upstream.once('error', (error) => exchange.fail(error))
  upstream.end()
}

/** Connects client and function directly. */
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

/** Determines why there is no response; the process's end may be reported shortly after the connection's. */
async function explainEnd(worker: Worker, error: Error, logger: Logger): Promise<PlatformError> {
  const reason = await Promise.race<EndReason | undefined>([worker.ended, delay(END_REASON_MS).then(() => undefined)])
  if (reason === 'memory' || reason === 'cpu' || reason === 'disk' || reason === 'wall_clock') return workerLimit
  if (reason === undefined) logger.log('error', 'a function closed a connection', { error: errorMessage(error) })
  return workerError
}
