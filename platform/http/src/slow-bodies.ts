import { Transform, type Readable, type TransformCallback } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import { noteShare, type BodyMemory, type BodyShare } from './body-memory.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route passes its body on as it comes, instead of having all of it in memory. */
    readonly streamsBody?: boolean
  }
}

/** How long a request body may take. */
export interface BodyPatience {
  /** Milliseconds without a byte. */
  readonly silenceMs: number
  /** Bytes per second on average, judged once a body has been under way for `rateGraceMs`. */
  readonly rateMin: number
  readonly rateGraceMs: number
  /** Milliseconds for all of it. */
  readonly totalMs: number
  /** Milliseconds after which a body counts as slow. */
  readonly slowMs: number
  /** How many bodies of one address may be slow at a time. */
  readonly slowPerAddressMax: number
}

/** Milliseconds between two looks at bodies under way. */
const LOOK_MS = 500

interface Body {
  readonly address: string
  readonly meter: Meter
  startedAt: number
  isSlow: boolean
}

/**
 * Cuts request bodies that stall or drip, with 408 in the words of the service that they were for: its own error rendering answers, as the body is what
 * fails. Bodies are counted as they come in, between the connection and the parser; answers, which streams of sync are, are not looked at.
 *
 * Node's `requestTimeout` knows a total only, and its answer is not of any service and lacks what browsers need to read it. It stays as the net below
 * this, for bodies that are not read.
 *
 * @param memory - where what has come is counted
 */
export function limitSlowBodies(app: FastifyInstance, patience: BodyPatience, memory: BodyMemory): void {
  const bodies = new Set<Body>()
  const slowOf = new Map<string, number>()
  let looking: NodeJS.Timeout | undefined
  let lookedAt = 0

  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!hasBody(request)) {
      done(null, payload)
      return
    }
    // A body that is passed on as it comes is never in memory as a whole.
    const share = request.routeOptions.config.streamsBody ? undefined : memory.enter(request.ip)
    if (share) {
      noteShare(request, share)
      reply.raw.once('close', () => share.release())
    }
    const meter = new Meter(share)
    const body: Body = { address: request.ip, meter, startedAt: performance.now(), isSlow: false }
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
    // What came while this process was busy is still to be read.
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
    if (body.isSlow) {
      const left = (slowOf.get(body.address) ?? 1) - 1
      if (left === 0) slowOf.delete(body.address)
      else slowOf.set(body.address, left)
    }
    if (bodies.size > 0) return
    clearInterval(looking)
    looking = undefined
  }

  function reasonToCut({ meter, startedAt }: Body, now: number): string | undefined {
    const { silenceMs, rateMin, rateGraceMs, totalMs } = patience
    const ms = now - startedAt
    if (meter.silentMs(now) >= silenceMs) return `nothing of it came for ${seconds(silenceMs)} s`
    if (ms >= totalMs) return `it takes longer than ${seconds(totalMs)} s`
    if (ms >= rateGraceMs && (meter.bytes * 1_000) / ms < rateMin)
      return `it comes with less than ${rateMin} bytes per second`
    return undefined
  }

  function isNewlySlow({ isSlow, startedAt }: Body, now: number): boolean {
    return !isSlow && now - startedAt >= patience.slowMs
  }

  /** Counts a body as slow, unless its address has too many: those before it are further. */
  function reasonNotToBeSlow(body: Body): string | undefined {
    const slow = slowOf.get(body.address) ?? 0
    if (slow >= patience.slowPerAddressMax) return `${slow} other slow ones are under way from this address`
    body.isSlow = true
    slowOf.set(body.address, slow + 1)
    return undefined
  }
}

/** Counts what passes. */
class Meter extends Transform {
  bytes = 0
  #heardAt = performance.now()
  readonly #share: BodyShare | undefined

  constructor(share: BodyShare | undefined) {
    super()
    this.#share = share
  }

  /** Milliseconds since the last byte. While the parser is behind, the socket is not read, and it is not the client who is silent. */
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

/** As `pipeline`, but an end of the meter does not take the connection with it, on which the answer still has to go. */
function passOn(payload: Readable, meter: Meter): void {
  payload.once('error', (error) => meter.destroy(error))
  payload.once('close', () => {
    if (!payload.readableEnded) meter.destroy()
  })
  meter.once('error', () => payload.unpipe(meter))
  payload.pipe(meter)
}

/** The rest of a body that was answered before its end is discarded, so that the next request of its connection can be read. */
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
