import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../rate-limits.ts'

/** Decides where users may be redirected from a mail or a provider. */
export interface RedirectPolicy {
  readonly siteUrl: string
  isAllowed(url: string): boolean
  /** Returns the first allowed candidate, or the site. Skips `undefined` and empty ones. */
  choose(...candidates: readonly (string | undefined)[]): string
}

/**
 * Allows the site, addresses that match `additionalRedirectUrls`, and any loopback address if the site is on loopback.
 *
 * In a pattern `*` matches any characters except `.` and `/`, `**` any characters, and `?` one character except `.` and `/`. The whole
 * address without its fragment must match.
 *
 * @see Supabase documentation, "Redirect URLs", "Use wildcards in redirect URLs"
 */
export function createRedirectPolicy(siteUrl: string, additionalRedirectUrls: readonly string[]): RedirectPolicy {
  const site = new URL(siteUrl)
  const patterns = additionalRedirectUrls.map(toPattern)
  const isAllowed = (text: string): boolean => {
    const url = parse(text)
    if (!url) return false
    if (isWeb(url)) {
      // An address in an unusual spelling may lead elsewhere than it appears to.
      if (url.username !== '' || url.password !== '' || text.includes('\\') || !sameHostText(text, url)) return false
      if (url.protocol === site.protocol) {
        if (url.host === site.host) return true
        // `localhost` and 127.0.0.1 are the same machine, and passkeys need the name.
        if (isLocal(url) && isLocal(site)) return true
      }
    }
    const whole = text.split('#', 1)[0] ?? ''
    return patterns.some((pattern) => pattern.test(whole))
  }
  return {
    siteUrl,
    isAllowed,
    choose: (...candidates) =>
      candidates.find((candidate) => candidate !== undefined && candidate !== '' && isAllowed(candidate)) ?? siteUrl,
  }
}

function parse(text: string): URL | undefined {
  const isClean = ![...text].some((character) => character <= ' ' || character === '\u007f')
  const url = isClean ? URL.parse(text) : null
  const isScript = url !== null && ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'].includes(url.protocol)
  return url === null || isScript ? undefined : url
}

function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:'
}

/** Refuses a host not spelled as browsers parse it, such as `http://2130706433/`, which is 127.0.0.1. */
function sameHostText(text: string, url: URL): boolean {
  const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(text)?.[1]?.replace(/:\d*$/, '')
  return host?.toLowerCase() === url.hostname.toLowerCase()
}

function isLocal(url: URL): boolean {
  return url.hostname === 'localhost' || isLoopback(url.hostname.replaceAll(/^\[|\]$/g, ''))
}

/** Characters that end the host of an address or precede it. No wildcard in a host matches them, or it could reach another host. */
const NOT_OF_A_HOST = String.raw`/?#@\\[\]`

function toPattern(glob: string): RegExp {
  const [, host = '', rest = ''] = /^(https?:\/\/[^/]*)(.*)$/is.exec(glob) ?? []
  const source =
    host === ''
      ? translate(glob)
      : host.endsWith('**') && rest === ''
        ? translate(glob)
        : translateHost(host) + translate(rest)
  return new RegExp(`^${source}$`)
}

function translate(glob: string): string {
  return glob.replaceAll(/\*\*|[*?]|[.+^${}()|[\]\\]/g, (match) => {
    if (match === '**') return '.*'
    if (match === '*') return '[^./]*'
    return match === '?' ? '[^./]' : `\\${match}`
  })
}

function translateHost(glob: string): string {
  return glob.replaceAll(/\*\*|[*?]|[.+^${}()|[\]\\]/g, (match) => {
    if (match === '**') return `[^${NOT_OF_A_HOST}]*`
    if (match === '*') return `[^.${NOT_OF_A_HOST}]*`
    return match === '?' ? `[^.${NOT_OF_A_HOST}]` : `\\${match}`
  })
}

/** Returns the requested redirect from a header, the query or the referer; the site if none is allowed. */
export function redirectOf(request: FastifyRequest, redirects: RedirectPolicy): string {
  const { redirect_to: inQuery } = request.query as { readonly redirect_to?: unknown }
  const { redirect_to: inHeader, referer } = request.headers
  const asked = typeof inHeader === 'string' && inHeader !== '' ? inHeader : inQuery
  return redirects.choose(typeof asked === 'string' ? asked : undefined, referer)
}
