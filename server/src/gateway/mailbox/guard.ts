import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../config/loopback.ts'

/** Headers added by proxies. Behind one, all requests seem to come from this machine. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const

/**
 * Returns whether a user on this machine opened the page in a browser. Excludes requests through a proxy, requests for another host name, which indicate DNS
 * rebinding, and requests that pages of other sites make other than by navigation.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function isOwnBrowser({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  if (!isLoopback(address) || !isLoopback(hostOf(headers.host ?? ''))) return false
  const site = headers['sec-fetch-site']
  if (site === 'none' || site === 'same-origin') return true
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/** Returns whether a modifying request comes from a page of this server. */
export function isFromOwnPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['sec-fetch-site'] === 'same-origin'
}

/** Returns the password of HTTP Basic, in which browsers send the key that the user enters. */
export function basicPassword(authorization = ''): string | undefined {
  const encoded = /^basic ([a-z0-9+/=]+)$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString()
  const colon = pair.indexOf(':')
  return colon < 0 ? undefined : pair.slice(colon + 1)
}

/** Strips the port and IPv6 brackets. */
function hostOf(text: string): string {
  return text.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}
