import { isIPv6 } from 'node:net'
import type { Clock } from '@holdfast/foundation'
import { overRequestRateLimit } from './errors.ts'
import { RATE_LIMITED_ADDRESSES_MAX, RATE_LIMIT_WINDOW_S } from './limits.ts'

/** Counts attempts by address. */
export interface RateLimiter {
  /** @throws {HoldfastError} `over_request_rate_limit` with `retry-after` when `address` has none left */
  take(address: string): void
}

interface Bucket {
  tokens: number
  filledAtMs: number
}

/**
 * A token bucket for each address: `attempts` at once, refilled evenly over {@link RATE_LIMIT_WINDOW_S}. In memory, because a
 * restart that forgives is better than a write for each attempt.
 *
 * @param attempts - 0 for no limit
 */
export function createRateLimiter(options: {
  readonly attempts: number
  readonly loopbackExempt: boolean
  readonly clock: Clock
}): RateLimiter {
  const { attempts, loopbackExempt, clock } = options
  const buckets = new Map<string, Bucket>()
  const refillPerMs = attempts / (RATE_LIMIT_WINDOW_S * 1000)

  return {
    take(address) {
      if (attempts === 0 || (loopbackExempt && isLoopback(address))) return
      const network = networkOf(address)
      const nowMs = clock.now()
      const bucket = buckets.get(network) ?? { tokens: attempts, filledAtMs: nowMs }
      const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs)
      bucket.tokens = Math.min(attempts, bucket.tokens + elapsedMs * refillPerMs)
      bucket.filledAtMs = nowMs
      buckets.delete(network)
      buckets.set(network, bucket)
      if (buckets.size > RATE_LIMITED_ADDRESSES_MAX) buckets.delete(buckets.keys().next().value ?? network)
      if (bucket.tokens < 1) throw overRequestRateLimit(Math.ceil((1 - bucket.tokens) / refillPerMs / 1000))
      bucket.tokens -= 1
    },
  }
}

/** IPv4, IPv6, and IPv4 written as IPv6. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./i.test(address)
}

/** One person commands a whole /64 of IPv6, so the network counts there. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.toLowerCase().startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
