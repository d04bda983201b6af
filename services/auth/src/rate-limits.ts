import { isIPv4 } from 'node:net'
import type { Clock, HoldfastError } from '@holdfast/foundation'
import { networkOf } from '@holdfast/http'
import { overEmailSendRateLimit, overRequestRateLimit, overSmsSendRateLimit } from './errors.ts'
import { NOTICES_PER_HOUR_MAX, RATE_LIMITED_ADDRESSES_MAX, RATE_LIMIT_WINDOW_S } from './limits.ts'
import type { AuthOptions } from './options/auth-options.ts'

/** Limits attempts by address or another key. */
export interface RateLimiter {
  /**
   * @param counted - key of the bucket; default: the address
   * @throws {HoldfastError} `over_request_rate_limit` with `retry-after` if the bucket is empty
   */
  take(address: string, counted?: string): void
}

interface Bucket {
  tokens: number
  filledAtMs: number
}

/**
 * Creates token buckets of `attempts` tokens, refilled evenly over the window. They are in memory: losing them at a restart is better than
 * a write per attempt.
 *
 * @param attempts - 0 for no limit
 */
export function createRateLimiter(options: {
  readonly attempts: number
  /** Seconds in which a bucket refills. */
  readonly windowS: number
  readonly refusal?: (retryAfterS: number) => HoldfastError
  /** Whether requests from this machine are currently exempt. */
  readonly isLoopbackExempt: () => boolean
  readonly clock: Clock
}): RateLimiter {
  const { attempts, isLoopbackExempt, clock, refusal = overRequestRateLimit } = options
  const buckets = new Map<string, Bucket>()
  const refillPerMs = attempts / (options.windowS * 1000)

  return {
    take(address, counted = address) {
      if (attempts === 0 || (isLoopback(address) && isLoopbackExempt())) return
      const network = networkOf(counted)
      const nowMs = clock.now()
      const bucket = buckets.get(network) ?? { tokens: attempts, filledAtMs: nowMs }
      const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs)
      bucket.tokens = Math.min(attempts, bucket.tokens + elapsedMs * refillPerMs)
      bucket.filledAtMs = nowMs
      buckets.delete(network)
      buckets.set(network, bucket)
      if (buckets.size > RATE_LIMITED_ADDRESSES_MAX) buckets.delete(buckets.keys().next().value ?? network)
      if (bucket.tokens < 1) throw refusal(Math.ceil((1 - bucket.tokens) / refillPerMs / 1000))
      bucket.tokens -= 1
    },
  }
}

/** Rate limiters by kind of request. */
export interface RateLimits {
  readonly signIn: RateLimiter
  /**
   * Refreshes by session, and refused ones by address. After an outage all devices behind one address refresh together, and auth-js signs a
   * user out when a refresh is refused for any reason.
   */
  readonly refresh: RateLimiter
  readonly anonymous: RateLimiter
  /** Attempts to use codes and links. */
  readonly verify: RateLimiter
  /** Challenges that a code or passkey responds to. */
  readonly challenge: RateLimiter
  readonly mail: RateLimiter
  readonly sms: RateLimiter
  /** Security notifications by account rather than client, so that an attacker in the account cannot use up its owner's notifications. */
  readonly notice: RateLimiter
  /**
   * Records that a request came through a proxy. From then on loopback addresses, which may be the proxy's, are counted like any other.
   */
  noteProxy(): void
}

/** @see Supabase documentation, "Rate limits" */
export function createRateLimits(options: AuthOptions, clock: Clock): RateLimits {
  let loopbackExempt = options.rateLimitLoopbackExempt
  const isLoopbackExempt = (): boolean => loopbackExempt
  const inFiveMinutes = (attempts: number): RateLimiter =>
    createRateLimiter({ attempts, windowS: RATE_LIMIT_WINDOW_S, isLoopbackExempt, clock })
  const inAnHour = (attempts: number, refusal?: (retryAfterS: number) => HoldfastError): RateLimiter =>
    createRateLimiter({ attempts, windowS: 3600, isLoopbackExempt, clock, ...(refusal ? { refusal } : {}) })
  return {
    signIn: inFiveMinutes(options.rateLimitSignInSignUps),
    refresh: inFiveMinutes(options.rateLimitTokenRefresh),
    verify: inFiveMinutes(options.rateLimitTokenVerifications),
    challenge: inFiveMinutes(options.rateLimitTokenVerifications),
    anonymous: inAnHour(options.rateLimitAnonymousUsers),
    mail: inAnHour(options.rateLimitEmailSent, overEmailSendRateLimit),
    sms: inAnHour(options.rateLimitSmsSent, overSmsSendRateLimit),
    notice: inAnHour(NOTICES_PER_HOUR_MAX, overEmailSendRateLimit),
    noteProxy() {
      loopbackExempt = false
    },
  }
}

/** Returns whether a text is a loopback address: IPv4, IPv6, or IPv4-mapped IPv6. A host name is not. */
export function isLoopback(address: string): boolean {
  const embedded = address.replace(/^::ffff:/i, '')
  return address === '::1' || (isIPv4(embedded) && embedded.startsWith('127.'))
}
