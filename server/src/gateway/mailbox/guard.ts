import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../config/loopback.ts'

/** Headers added by proxies. Behind one, all requests seem to come from this machine. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const

/**
 * Whether a request is that of a person at this machine, who opened the page in a browser. Not one that came through a proxy; not one for another name, by
 * which a page of another site has the browser ask for this machine (DNS rebinding); not one that another site's page makes by itself.
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

/** Whether a request that changes something comes from a page of this server. */
export function isFromOwnPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['sec-fetch-site'] === 'same-origin'
}

/** The password of HTTP Basic: how a browser hands over the key that its user types. */
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
