import { lookup as resolveName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { HoldfastError } from '@holdfast/foundation'

/** Address on which this server listens. */
export interface OwnAddress {
  readonly host: string
  readonly port: number
  /** Set if the server itself speaks TLS, with the name in its certificate unless that is an IP address. */
  readonly tls?: { readonly servername?: string }
}

/** Decides which addresses requests may reach, and how. */
export interface AddressPolicy {
  /** Returns this server's listening address if the URL is its own. Such requests go there regardless of DNS. */
  own(url: URL): OwnAddress | undefined
  /** @throws {AddressRefused} if the host is a forbidden IP address */
  check(url: URL): void
  /** Returns a lookup that yields permitted addresses only. The connection itself uses it, which prevents DNS rebinding. */
  lookupFor(url: URL): LookupFunction
}

/** The URL of a webhook or notification has a forbidden address. */
export class AddressRefused extends Error {
  constructor(host: string, option: string) {
    super(`${host} is not a public address: name it in ${option} if requests may go there`)
  }
}

export interface AddressPolicyOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly listening: { readonly host: string; readonly port: number; readonly isTls?: boolean }
  readonly allow: readonly string[]
  /** Name of the setting behind {@link allow}, for error messages. */
  readonly option?: string
}

/** Names besides its URL that projects use for their own server in development. `kong` is the gateway of Supabase's containers. */
const OWN_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', 'host.docker.internal'])
const OWN_GATEWAY = 'kong:8000'

/** Non-public ranges from the IANA special-purpose registries for IPv4 and IPv6. */
const NOT_PUBLIC_4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
/** Non-public ranges in 2000::/3, the only public block. Teredo and 6to4 embed IPv4 addresses; the others are for documentation and protocols. */
const NOT_PUBLIC_6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

/** @throws {HoldfastError} `option_invalid` for an entry of `allow` that is neither a host nor a network */
export function createAddressPolicy({
  baseUrl,
  listening,
  allow,
  option = 'webhooksAllow',
}: AddressPolicyOptions): AddressPolicy {
  const base = new URL(baseUrl)
  const listeningHost =
    listening.host === '0.0.0.0'
      ? '127.0.0.1'
      : listening.host === '::'
        ? '::1'
        : listening.host.replace(/^\[|\]$/g, '')
  const allowed = parseAllow(allow, option)

  const isAllowedAddress = (address: string): boolean => {
    const plain = unwrap(address)
    return allowed.all || isPublic(plain) || allowed.networks.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
  }
  const isAllowedHost = (url: URL): boolean =>
    allowed.all || allowed.hosts.has(url.hostname) || allowed.hosts.has(`${url.hostname}:${portOf(url)}`)

  return {
    own(url) {
      const isOwn =
        url.origin === base.origin ||
        (url.protocol === 'http:' &&
          (url.host === OWN_GATEWAY || (OWN_NAMES.has(url.hostname) && portOf(url) === listening.port)))
      if (!isOwn) return undefined
      const name = base.hostname.replace(/^\[|\]$/g, '')
      // RFC 6066, section 3: an IP address is not a valid server name.
      return {
        host: listeningHost,
        port: listening.port,
        ...(listening.isTls && { tls: isIP(name) === 0 ? { servername: name } : {} }),
      }
    },
    check(url) {
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) !== 0 && !isAllowedHost(url) && !isAllowedAddress(host)) throw new AddressRefused(host, option)
    },
    lookupFor: (url) => (isAllowedHost(url) ? resolveName : checkedLookup(isAllowedAddress, option)),
  }
}

function checkedLookup(isAllowedAddress: (address: string) => boolean, option: string): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, '', 0)
        return
      }
      const reachable = addresses.filter(({ address }) => isAllowedAddress(address))
      const [first] = reachable
      if (!first) callback(new AddressRefused(hostname, option), '', 0)
      else if (options.all === true) callback(null, reachable)
      else callback(null, first.address, first.family)
    })
  }
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}

/** Returns the IPv4 address in a mapped or translated (RFC 6052) IPv6 address; other addresses unchanged, without a zone. */
function unwrap(address: string): string {
  const plain = address.split('%')[0] ?? ''
  if (isIP(plain) !== 6) return plain
  const groups = expand(plain)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  const isTranslated = groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0)
  if (!isMapped && !isTranslated) return plain
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}

/** Returns the eight groups of an IPv6 address, which the URL parser canonicalizes. */
function expand(address: string): readonly number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const groupsOf = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((one) => Number.parseInt(one, 16))
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

const notPublic = new BlockList()
for (const [address, bits] of NOT_PUBLIC_4) notPublic.addSubnet(address, bits, 'ipv4')
for (const [address, bits] of NOT_PUBLIC_6) notPublic.addSubnet(address, bits, 'ipv6')
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !notPublic.check(address, 'ipv4')
  return globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
}

interface Allowed {
  readonly all: boolean
  readonly hosts: ReadonlySet<string>
  readonly networks: BlockList
}

function parseAllow(allow: readonly string[], option: string): Allowed {
  const hosts = new Set<string>()
  const networks = new BlockList()
  for (const entry of allow) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address)
    const isPrefix = /^\d{1,3}$/.test(bits ?? '') && Number(bits) <= (family === 6 ? 128 : 32)
    if (family !== 0 && bits === undefined) networks.addAddress(address, family === 6 ? 'ipv6' : 'ipv4')
    else if (family !== 0 && isPrefix) networks.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4')
    else if (entry !== '*') hosts.add(hostOf(entry, option))
  }
  return { all: allow.includes('*'), hosts, networks }
}

function hostOf(entry: string, option: string): string {
  const match = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.exec(entry)
  if (!match)
    throw new HoldfastError(
      'option_invalid',
      500,
      `${option}: ${JSON.stringify(entry)} is neither a host nor a network.`,
      {
        hint: 'Write hosts such as crm.internal or localhost:3000, networks such as 10.0.0.0/8, or *.',
      },
    )
  return `${new URL(`http://${match[1] ?? ''}/`).hostname}${match[2] ?? ''}`
}
