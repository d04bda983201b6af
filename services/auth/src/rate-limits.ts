import { isIPv4, isIPv6 } from 'node:net'
import type { Clock, HoldfastError } from '@holdfast/foundation'
import { overEmailSendRateLimit, overRequestRateLimit, overSmsSendRateLimit } from './errors.ts'
import { NOTICES_PER_HOUR_MAX, RATE_LIMITED_ADDRESSES_MAX, RATE_LIMIT_WINDOW_S } from './limits.ts'
import type { AuthOptions } from './options/auth-options.ts'

/** Counts attempts by address, or by something else that they are about. */
export interface RateLimiter {
  /**
   * @param counted - what has attempts of its own; default: the address
   * @throws {HoldfastError} `over_request_rate_limit` with `retry-after` when it has none left
   */
  take(address: string, counted?: string): void
}

interface Bucket {
  tokens: number
  filledAtMs: number
}

/**
 * A token bucket for each address: `attempts` at once, refilled evenly over the window. In memory, because a
 * restart that forgives is better than a write for each attempt.
 *
 * @param attempts - 0 for no limit
 */
export function createRateLimiter(options: {
  readonly attempts: number
  /** Seconds in which they refill. */
  readonly windowS: number
  readonly refusal?: (retryAfterS: number) => HoldfastError
  /** Whether requests from this machine are not counted at the moment. */
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

/** The limits of the service, by kind of request. */
export interface RateLimits {
  readonly signIn: RateLimiter
  /**
   * Refreshes by session, and refused ones by address. All devices behind one address refresh when it is back after an outage, and auth-js signs a person out whose
   * refresh is refused for any reason.
   */
  readonly refresh: RateLimiter
  readonly anonymous: RateLimiter
  /** Codes and links that are tried. */
  readonly verify: RateLimiter
  /** Questions that such a code, or a passkey, is the answer to. */
  readonly challenge: RateLimiter
  readonly mail: RateLimiter
  readonly sms: RateLimiter
  /** Security notifications, by account and not by client: who took an account over must not be able to use up what tells its owner. */
  readonly notice: RateLimiter
  /**
   * A request has come through a proxy: an address of this machine is the proxy's from now on, also where it does not say so, and is counted like
   * any other.
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

/** Whether a text is an address of this machine: IPv4, IPv6, or IPv4 written as IPv6. A name is none, whatever it begins with. */
export function isLoopback(address: string): boolean {
  const embedded = address.replace(/^::ffff:/i, '')
  return address === '::1' || (isIPv4(embedded) && embedded.startsWith('127.'))
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
