import type { FastifyInstance, FastifyRequest } from 'fastify'

/** How much is read of a body after its answer. */
export interface DrainPatience {
  readonly bytesMax: number
  /** Milliseconds without a byte. */
  readonly silenceMs: number
  /** Milliseconds in all. */
  readonly totalMs: number
}

const REQUEST_TIMEOUT = 408

/**
 * Keeps the connection of a body that is refused before its end until the client has read why. A connection that is closed while its client still sends is reset,
 * and what the client has not read by then is lost: undici says "fetch failed", and browsers read nothing before they have sent everything. So the rest of the
 * body is read and discarded (RFC 9112, section 9.6), up to a bound; then the connection is cut.
 *
 * A body that took too long is not awaited once more.
 */
export function drainRefusedBodies(app: FastifyInstance, patience: DrainPatience): void {
  const closing = new WeakSet<FastifyRequest>()
  app.addHook('onSend', async (request, reply) => {
    if (!isUnderWay(request) || reply.statusCode === REQUEST_TIMEOUT) return
    // Fastify closes the connection of a body that is too large, and Node that of a client which sends no second request.
    const isLast = !reply.raw.shouldKeepAlive
    reply.removeHeader('connection')
    reply.raw.shouldKeepAlive = true
    if (isLast) closing.add(request)
  })
  app.addHook('onResponse', async (request) => {
    if (isUnderWay(request)) drain(request, patience, closing.has(request))
  })
}

/** A request that was injected has no connection, and does not say whether it is complete. */
function isUnderWay({ raw }: FastifyRequest): boolean {
  return raw.complete === false && !raw.destroyed
}

function drain({ raw }: FastifyRequest, patience: DrainPatience, isLast: boolean): void {
  const { socket } = raw
  const cut = (): void => void socket.destroy()
  const silence = setTimeout(cut, patience.silenceMs).unref()
  const total = setTimeout(cut, patience.totalMs).unref()
  let bytes = 0
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    silence.refresh()
    if (bytes > patience.bytesMax) cut()
  })
  raw.once('end', () => {
    if (isLast) socket.end()
  })
  raw.once('close', () => {
    clearTimeout(silence)
    clearTimeout(total)
  })
}
