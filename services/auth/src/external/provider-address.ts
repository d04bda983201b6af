import { isLoopback } from '../rate-limits.ts'

/**
 * Whether this server may be sent to an address: over TLS, or in the clear where nothing leaves the machine. Who asks for loopback has to
 * be on it: a provider of the internet cannot name addresses of this machine.
 */
export function isProviderAddress(text: string, options: { readonly loopback: boolean }): boolean {
  const url = URL.parse(text)
  if (!url || url.username !== '' || url.password !== '') return false
  if (isLoopbackHost(url)) return options.loopback && (url.protocol === 'http:' || url.protocol === 'https:')
  return url.protocol === 'https:'
}

export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && isLoopbackHost(url)
}

function isLoopbackHost(url: URL): boolean {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '').toLowerCase()
  return host === 'localhost' || host.endsWith('.localhost') || host === '0.0.0.0' || host === '::' || isLoopback(host)
}
