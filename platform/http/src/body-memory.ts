import type { FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'

/** The part of the memory that one request's body has. */
export interface BodyShare {
  /** Counts bytes that have come. @throws {HoldfastError} `body_memory_full` when they have no place */
  add(bytes: number): void
  /** May be called more than once. */
  release(): void
}

/** Counts the bytes of request bodies that are in memory: from their arrival until their requests are answered. */
export interface BodyMemory {
  enter(address: string): BodyShare
  readonly bytes: number
}

/**
 * Memory for bodies has a bound, and no address has more of it than it leaves to all others: *k* addresses that send without end leave one part in *k* + 1
 * for the next one. Bytes beyond that are refused, while the body arrives.
 */
export function createBodyMemory(bytesMax: number): BodyMemory {
  const ofAddress = new Map<string, number>()
  let bytes = 0

  function count(address: string, change: number): void {
    bytes += change
    const now = (ofAddress.get(address) ?? 0) + change
    if (now === 0) ofAddress.delete(address)
    else ofAddress.set(address, now)
  }

  return {
    get bytes() {
      return bytes
    },
    enter(address) {
      let held = 0
      return {
        add(more) {
          if ((ofAddress.get(address) ?? 0) + more > bytesMax - bytes) throw bodyMemoryFull()
          held += more
          count(address, more)
        },
        release() {
          if (held > 0) count(address, -held)
          held = 0
        },
      }
    },
  }
}

const shares = new WeakMap<FastifyRequest, BodyShare>()

/** Notes the share of a request, for {@link forgetBody}. */
export function noteShare(request: FastifyRequest, share: BodyShare): void {
  shares.set(request, share)
}

/**
 * Counts what a body becomes in memory when a route unpacks it.
 *
 * @throws {HoldfastError} `body_memory_full`
 */
export function growBody(request: FastifyRequest, bytes: number): void {
  shares.get(request)?.add(bytes)
}

/** Drops the body of a request whose answer takes longer than the body is needed, as a stream's does. */
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
