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
  take(address: string, counted?: string): Promise<void>
}

/** Size of a token bucket. */
export interface BucketSize {
  /** Tokens of a full bucket; refilled evenly over the window. */
  readonly attempts: number
  /** Seconds in which a bucket refills. */
  readonly windowS: number
}

/** Token buckets by key. */
export interface Buckets {
  /** Takes a token. @returns 0, or the seconds until there is one */
  take(key: string): Promise<number> | number
}

/** Opens the buckets of a rate limiter. @param name - unique, and the same on all servers of a database */
export type OpenBuckets = (name: string, size: BucketSize) => Buckets

interface Bucket {
  tokens: number
  filledAtMs: number
}

/** Opens buckets in memory, for the only server of a database: losing them at a restart is better than a write per attempt. */
export function bucketsInMemory(clock: Clock): OpenBuckets {
  return (_name, { attempts, windowS }) => {
    const buckets = new Map<string, Bucket>()
    const refillPerMs = attempts / (windowS * 1000)
    return {
      take(key) {
        const nowMs = clock.now()
        const bucket = buckets.get(key) ?? { tokens: attempts, filledAtMs: nowMs }
        const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs)
        bucket.tokens = Math.min(attempts, bucket.tokens + elapsedMs * refillPerMs)
        bucket.filledAtMs = nowMs
        buckets.delete(key)
        buckets.set(key, bucket)
        if (buckets.size > RATE_LIMITED_ADDRESSES_MAX) buckets.delete(buckets.keys().next().value ?? key)
        if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / refillPerMs / 1000)
        bucket.tokens -= 1
        return 0
      },
    }
  }
}

export interface RateLimiterOptions extends BucketSize {
  readonly name: string
  /** 0 for no limit. */
  readonly attempts: number
  readonly refusal?: (retryAfterS: number) => HoldfastError
  /** Whether requests from this machine are currently exempt. */
  readonly isLoopbackExempt: () => boolean
}

/** Creates a limiter with a bucket for each network, or other key. */
export function createRateLimiter(options: RateLimiterOptions, openBuckets: OpenBuckets): RateLimiter {
  const { name, attempts, windowS, isLoopbackExempt, refusal = overRequestRateLimit } = options
  const buckets = openBuckets(name, { attempts, windowS })
  return {
    async take(address, counted = address) {
      if (attempts === 0 || (isLoopback(address) && isLoopbackExempt())) return
      const waitS = await buckets.take(networkOf(counted))
      if (waitS > 0) throw refusal(waitS)
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
export function createRateLimits(options: AuthOptions, openBuckets: OpenBuckets): RateLimits {
  let loopbackExempt = options.rateLimitLoopbackExempt
  const isLoopbackExempt = (): boolean => loopbackExempt
  const inFiveMinutes = (name: string, attempts: number): RateLimiter =>
    createRateLimiter({ name, attempts, windowS: RATE_LIMIT_WINDOW_S, isLoopbackExempt }, openBuckets)
  const inAnHour = (name: string, attempts: number, refusal = overRequestRateLimit): RateLimiter =>
    createRateLimiter({ name, attempts, windowS: 3600, isLoopbackExempt, refusal }, openBuckets)
  return {
    signIn: inFiveMinutes('sign-in', options.rateLimitSignInSignUps),
    refresh: inFiveMinutes('refresh', options.rateLimitTokenRefresh),
    verify: inFiveMinutes('verify', options.rateLimitTokenVerifications),
    challenge: inFiveMinutes('challenge', options.rateLimitTokenVerifications),
    anonymous: inAnHour('anonymous', options.rateLimitAnonymousUsers),
    mail: inAnHour('mail', options.rateLimitEmailSent, overEmailSendRateLimit),
    sms: inAnHour('sms', options.rateLimitSmsSent, overSmsSendRateLimit),
    notice: inAnHour('notice', NOTICES_PER_HOUR_MAX, overEmailSendRateLimit),
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
