import { Transform, type Readable, type TransformCallback } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HoldfastError, Semaphore, type Release } from '@holdfast/foundation'
import { noteShare, type BodyMemory, type BodyShare } from './body-memory.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route streams its body instead of buffering it. */
    readonly streamsBody?: boolean
  }
}

/** Time limits for a request body. */
export interface BodyTimeouts {
  /** Silence in ms. */
  readonly silenceMs: number
  /** Average bytes per second, checked after `rateGraceMs`. */
  readonly rateMin: number
  readonly rateGraceMs: number
  /** Total in ms. */
  readonly totalMs: number
  /** Time in ms after which a body counts as slow. */
  readonly slowMs: number
  /** Concurrent slow bodies per address. */
  readonly slowPerAddressMax: number
}

/** Check interval in ms. */
const LOOK_MS = 500

interface Body {
  readonly address: string
  readonly meter: Meter
  startedAt: number
  /** Set while the body counts as slow. */
  endSlow: Release | undefined
}

/**
 * Cuts stalled or dripping request bodies with 408, rendered by the target service, whose body parsing fails. Counts bytes between connection and parser;
 * responses, such as sync streams, are not affected.
 *
 * Node's `requestTimeout` only limits the total, and its response has neither a service's format nor CORS headers. It remains as a fallback for bodies that are
 * not read.
 *
 * @param memory - accounts for received bytes
 */
export function limitSlowBodies(app: FastifyInstance, limits: BodyTimeouts, memory: BodyMemory): void {
  const bodies = new Set<Body>()
  const slow = new Semaphore({ permits: Infinity, perKeyMax: limits.slowPerAddressMax })
  let looking: NodeJS.Timeout | undefined
  let lookedAt = 0

  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!hasBody(request)) {
      done(null, payload)
      return
    }
    // A streamed body is never completely in memory.
    const share = request.routeOptions.config.streamsBody ? undefined : memory.enter(request.ip)
    if (share) {
      noteShare(request, share)
      reply.raw.once('close', () => share.release())
    }
    const meter = new Meter(share)
    const body: Body = { address: request.ip, meter, startedAt: performance.now(), endSlow: undefined }
    bodies.add(body)
    if (looking === undefined) {
      lookedAt = performance.now()
      looking = setInterval(look, LOOK_MS).unref()
    }
    meter.once('close', () => leave(body))
    passOn(payload, meter)
    reply.raw.once('finish', () => dropRest(payload, meter))
    done(null, meter)
  })
  app.addHook('onClose', async () => clearInterval(looking))

  function look(): void {
    const now = performance.now()
    // Bytes that arrived while this process was busy are still unread.
    const busyMs = Math.max(0, now - lookedAt - LOOK_MS)
    lookedAt = now
    for (const body of bodies) {
      body.startedAt += busyMs
      body.meter.forgive(busyMs)
      const reason = reasonToCut(body, now) ?? (isNewlySlow(body, now) ? reasonNotToBeSlow(body) : undefined)
      if (reason !== undefined) body.meter.destroy(tooSlow(reason))
    }
  }

  function leave(body: Body): void {
    bodies.delete(body)
    body.endSlow?.()
    if (bodies.size > 0) return
    clearInterval(looking)
    looking = undefined
  }

  function reasonToCut({ meter, startedAt }: Body, now: number): string | undefined {
    const { silenceMs, rateMin, rateGraceMs, totalMs } = limits
    const ms = now - startedAt
    if (meter.silentMs(now) >= silenceMs) return `nothing of it came for ${seconds(silenceMs)} s`
    if (ms >= totalMs) return `it takes longer than ${seconds(totalMs)} s`
    if (ms >= rateGraceMs && (meter.bytes * 1_000) / ms < rateMin)
      return `it comes with less than ${rateMin} bytes per second`
    return undefined
  }

  function isNewlySlow({ endSlow, startedAt }: Body, now: number): boolean {
    return !endSlow && now - startedAt >= limits.slowMs
  }

  /** Counts a body as slow, unless its address has too many; earlier ones have priority. */
  function reasonNotToBeSlow(body: Body): string | undefined {
    body.endSlow = slow.tryAcquire({ key: body.address })
    return body.endSlow ? undefined : `${limits.slowPerAddressMax} other slow ones are under way from this address`
  }
}

/** Counts passing bytes. */
class Meter extends Transform {
  bytes = 0
  #heardAt = performance.now()
  readonly #share: BodyShare | undefined

  constructor(share: BodyShare | undefined) {
    super()
    this.#share = share
  }

  /** Milliseconds since the last byte. While the parser is behind, the socket is not read and the client does not count as silent. */
  silentMs(now: number): number {
    if (this.writableNeedDrain) this.#heardAt = now
    return now - this.#heardAt
  }

  forgive(ms: number): void {
    this.#heardAt += ms
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length
    this.#heardAt = performance.now()
    try {
      this.#share?.add(chunk.length)
    } catch (error) {
      done(error as Error)
      return
    }
    done(null, chunk)
  }
}

/** Like `pipeline`, but ending the meter does not destroy the connection, which still carries the response. */
function passOn(payload: Readable, meter: Meter): void {
  payload.once('error', (error) => meter.destroy(error))
  payload.once('close', () => {
    if (!payload.readableEnded) meter.destroy()
  })
  meter.once('error', () => payload.unpipe(meter))
  payload.pipe(meter)
}

/** Discards the rest of a body answered early, so that the connection's next request can be read. */
function dropRest(payload: Readable, meter: Meter): void {
  payload.unpipe(meter)
  payload.resume()
  meter.destroy()
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function tooSlow(reason: string): HoldfastError {
  return new HoldfastError('request_timeout', 408, `The body of the request was given up: ${reason}`, {
    hint: 'Send it again, over a better connection or in smaller parts.',
  })
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000)
}
