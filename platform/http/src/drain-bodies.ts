import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Limits for reading a body after its response. */
export interface DrainLimits {
  readonly bytesMax: number
  /** Silence in ms. */
  readonly silenceMs: number
  /** Total in ms. */
  readonly totalMs: number
}

const REQUEST_TIMEOUT = 408

/**
 * Keeps the connection of a refused body open until the client has read the response. Closing it while the client is sending resets it and loses the unread
 * response: undici reports "fetch failed", and browsers read only after sending everything. So the rest of the body is discarded (RFC 9112, section 9.6) up to
 * a limit; then the connection is cut.
 *
 * Bodies refused for being slow are not awaited again.
 */
export function drainRefusedBodies(app: FastifyInstance, limits: DrainLimits): void {
  const closing = new WeakSet<FastifyRequest>()
  app.addHook('onSend', async (request, reply) => {
    if (!isUnderWay(request) || reply.statusCode === REQUEST_TIMEOUT) return
    // Fastify closes the connection of an oversized body, and Node that of a client without keep-alive.
    const isLast = !reply.raw.shouldKeepAlive
    reply.removeHeader('connection')
    reply.raw.shouldKeepAlive = true
    if (isLast) closing.add(request)
  })
  app.addHook('onResponse', async (request) => {
    if (isUnderWay(request)) drain(request, limits, closing.has(request))
  })
}

/** Injected requests have no connection and no completeness flag. */
function isUnderWay({ raw }: FastifyRequest): boolean {
  return raw.complete === false && !raw.destroyed
}

function drain({ raw }: FastifyRequest, limits: DrainLimits, isLast: boolean): void {
  const { socket } = raw
  const cut = (): void => void socket.destroy()
  const silence = setTimeout(cut, limits.silenceMs).unref()
  const total = setTimeout(cut, limits.totalMs).unref()
  let bytes = 0
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    silence.refresh()
    if (bytes > limits.bytesMax) cut()
  })
  raw.once('end', () => {
    if (isLast) socket.end()
  })
  raw.once('close', () => {
    clearTimeout(silence)
    clearTimeout(total)
  })
}
