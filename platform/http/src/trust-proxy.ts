import { isIP } from 'node:net'
import { HoldfastError } from '@holdfast/foundation'

/**
 * Whose word about where a request came from counts, in Fastify's forms: addresses and networks, or a function that is asked for the sender (`hop` 0) and then
 * for each part of the way before it.
 */
export type TrustProxy = readonly string[] | ((address: string, hop: number) => boolean)

/** Names of networks, as the library behind Fastify has them. */
const NETWORK_NAMES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal'])

/**
 * Reads which proxies are trusted. The address of a request is then the last one, seen from the server, that is not a trusted proxy's: what a client wrote
 * into `x-forwarded-for` itself stands before that and is never looked at.
 *
 * @param trusted - addresses and networks (`10.0.0.0/8`, `loopback`), or one number of proxies in a row; empty for none
 * @throws {HoldfastError} `option_invalid`
 */
export function parseTrustProxy(trusted: readonly string[]): TrustProxy | false {
  const [first, ...others] = trusted
  if (first === undefined) return false
  if (/^\d{1,2}$/.test(first) && others.length === 0) {
    const hops = Number(first)
    return (_address, hop) => hop < hops
  }
  const wrong = trusted.find((one) => !isNetwork(one))
  if (wrong === undefined) return trusted
  throw new HoldfastError('option_invalid', 500, `trustProxy: "${wrong}" is neither an address nor a network.`, {
    hint: 'Write networks such as loopback or 10.0.0.0/8, separated by commas, or the number of proxies in a row, such as 1.',
  })
}

function isNetwork(text: string): boolean {
  if (NETWORK_NAMES.has(text)) return true
  const [address = '', prefix, ...more] = text.split('/')
  const bitsMax = isIP(address) === 4 ? 32 : 128
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsMax)
  return isIP(address) !== 0 && isPrefix && more.length === 0
}
