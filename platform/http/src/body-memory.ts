import type { FastifyRequest } from 'fastify'
import { HoldfastError, Tally } from '@holdfast/foundation'

/** Memory share of one request's body. */
export interface BodyShare {
  /** Counts received bytes. @throws {HoldfastError} `body_memory_full` if there is no room */
  add(bytes: number): void
  /** May be called repeatedly. */
  release(): void
}

/** Accounts for request bodies in memory, from arrival until the response. */
export interface BodyMemory {
  enter(address: string): BodyShare
  readonly bytes: number
}

/**
 * Bounds the memory of request bodies. No address may hold more than remains for all others: *k* addresses sending endlessly leave one part in *k* + 1 for the
 * next. Excess bytes are refused while the body arrives.
 */
export function createBodyMemory(bytesMax: number): BodyMemory {
  const kept = new Tally<string>()
  return {
    get bytes() {
      return kept.total
    },
    enter(address) {
      let held = 0
      return {
        add(more) {
          if (kept.of(address) + more > bytesMax - kept.total) throw bodyMemoryFull()
          held += more
          kept.add(address, more)
        },
        release() {
          kept.add(address, -held)
          held = 0
        },
      }
    },
  }
}

const shares = new WeakMap<FastifyRequest, BodyShare>()

/** Stores a request's share for {@link forgetBody}. */
export function noteShare(request: FastifyRequest, share: BodyShare): void {
  shares.set(request, share)
}

/**
 * Accounts for a body's size after decompression by a route.
 *
 * @throws {HoldfastError} `body_memory_full`
 */
export function growBody(request: FastifyRequest, bytes: number): void {
  shares.get(request)?.add(bytes)
}

/** Drops a request's body early, if the response outlasts its use, as for streams. */
export function forgetBody(request: FastifyRequest): void {
  request.body = undefined
  shares.get(request)?.release()
}

function bodyMemoryFull(): HoldfastError {
  return new HoldfastError('body_memory_full', 503, 'The server has too many request bodies in memory', {
    hint: 'Send it again in a moment, in smaller parts, or fewer at a time.',
    headers: { 'retry-after': '3' },
  })
}
