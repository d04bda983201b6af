import { BlockList, isIP } from 'node:net'
import { HoldfastError } from '@holdfast/foundation'

/** Determines trusted proxies, in Fastify's form: called for the sender (`hop` 0) and then for each previous hop. A closed socket has no address. */
export type TrustProxy = (address: string | undefined, hop: number) => boolean

/** Named networks, as in Express and Fastify. */
const NETWORKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['uniquelocal', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
])

/**
 * Parses the trusted proxies. A request's address is the last one, from the server's view, that is not a trusted proxy's; anything a client wrote into
 * `x-forwarded-for` precedes it and is ignored.
 *
 * @param trusted - addresses and networks (`10.0.0.0/8`, `loopback`), or a number of proxies; empty for none
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
  if (wrong === undefined) return inNetworks(trusted)
  throw new HoldfastError('option_invalid', 500, `trustProxy: "${wrong}" is neither an address nor a network.`, {
    hint: 'Write networks such as loopback or 10.0.0.0/8, separated by commas, or the number of proxies in a row, such as 1.',
  })
}

function inNetworks(trusted: readonly string[]): TrustProxy {
  const list = new BlockList()
  for (const network of trusted.flatMap((one) => NETWORKS.get(one) ?? [one])) {
    const [address = '', prefix] = network.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    list.addSubnet(address, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family)
  }
  return (given) => {
    // Without the zone of an IPv6 address.
    const [address = ''] = given?.split('%') ?? []
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

function isNetwork(text: string): boolean {
  if (NETWORKS.has(text)) return true
  const [address = '', prefix, ...more] = text.split('/')
  const bitsMax = isIP(address) === 4 ? 32 : 128
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsMax)
  return isIP(address) !== 0 && isPrefix && more.length === 0
}
