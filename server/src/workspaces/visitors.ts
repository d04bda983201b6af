import { type Clock, HoldfastError } from '@holdfast/foundation'

/** Networks that are counted. */
const NETWORKS_MAX = 10_000
const MINUTE_MS = 60_000

/**
 * Returns a function that counts the requests of each network within a minute.
 *
 * @param requestsMax - of one network in a minute
 * @throws {HoldfastError} `busy`, 429, from the returned function
 */
export function createVisitorLimit(requestsMax: number, clock: Clock): (network: string) => void {
  let until = 0
  const counts = new Map<string, number>()
  return (network) => {
    const now = clock.now()
    if (now >= until || counts.size >= NETWORKS_MAX) {
      counts.clear()
      until = now + MINUTE_MS
    }
    const next = (counts.get(network) ?? 0) + 1
    counts.set(network, next)
    if (next > requestsMax) throw tooManyRequests(60)
  }
}

/** @param seconds - to wait */
export function tooManyRequests(seconds: number): HoldfastError {
  return new HoldfastError('busy', 429, 'Too many requests. Try again in a moment.', {
    headers: { 'retry-after': String(seconds) },
  })
}
