import { PROVIDER_TIMEOUT_MS } from '../limits.ts'
import { isLoopback } from '../rate-limits.ts'
import { readLimited } from '../read-limited.ts'

/** HTTP access to one provider. Calls are limited in time and size, and only allowed addresses are contacted. */
export interface ProviderNetwork {
  /** Like the global `fetch`, but with the body already read and redirects returned instead of followed. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Sends a `GET` with a bearer token. @throws {Error} unless the response is 2xx and JSON */
  getJson(url: string, accessToken?: string): Promise<unknown>
}

/**
 * @param home - the provider's own address; if it is on loopback, its other addresses may be too
 * @param closing - aborts pending requests
 */
export function createProviderNetwork(home: string, closing?: AbortSignal): ProviderNetwork {
  const loopback = isLoopbackUrl(home)
  const limitedFetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (!isProviderAddress(url, { loopback }))
      throw new Error(`${url} is not an address for a provider: it has to be https`)
    const timeout = AbortSignal.timeout(PROVIDER_TIMEOUT_MS)
    const signal = closing ? AbortSignal.any([closing, timeout]) : timeout
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    const body = await readLimited(response)
    const type = response.headers.get('content-type')
    const headers = new Headers(type === null ? {} : { 'content-type': type })
    const authenticate = response.headers.get('www-authenticate')
    if (authenticate !== null) headers.set('www-authenticate', authenticate)
    const hasNoBody = [101, 204, 205, 304].includes(response.status)
    return new Response(hasNoBody ? null : body, { status: response.status, headers })
  }
  return {
    fetch: limitedFetch,
    async getJson(url, accessToken) {
      const authorization = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }
      const headers = { accept: 'application/json', 'user-agent': 'holdfast-auth', ...authorization }
      const response = await limitedFetch(url, { headers })
      if (!response.ok) throw new Error(`${url} answered ${response.status}`)
      return parseProviderJson(await response.text())
    },
  }
}

/** Parses JSON, removing NUL characters from strings, which Postgres cannot store. */
export function parseProviderJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '') : value))
}

/**
 * Returns whether this server may contact an address: TLS, or plain HTTP on loopback. Loopback is allowed only for providers that are
 * themselves on loopback, so an internet provider cannot name addresses of this machine.
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
