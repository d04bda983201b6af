import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../rate-limits.ts'

/** Decides where people may be sent when a mail or a provider brings them back. */
export interface RedirectPolicy {
  readonly siteUrl: string
  isAllowed(url: string): boolean
  /** The first of these that is allowed, else the site. `undefined` and empty ones are passed over. */
  choose(...candidates: readonly (string | undefined)[]): string
}

/**
 * The site itself, what `additionalRedirectUrls` allow, and any loopback address when the site is on one.
 *
 * In a pattern `*` stands for any characters but `.` and `/`, `**` for any, `?` for one that is not `.` or `/`; matching is on the whole address
 * without its fragment.
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
      // Written in another way than usual, an address may lead elsewhere than it seems.
      if (url.username !== '' || url.password !== '' || text.includes('\\') || !sameHostText(text, url)) return false
      if (url.protocol === site.protocol) {
        if (url.host === site.host) return true
        // `localhost` and 127.0.0.1 are one machine, and passkeys need the name.
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

/** `http://2130706433/` is 127.0.0.1 to a browser: a host that is not spelled as it is read is refused. */
function sameHostText(text: string, url: URL): boolean {
  const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(text)?.[1]?.replace(/:\d*$/, '')
  return host?.toLowerCase() === url.hostname.toLowerCase()
}

function isLocal(url: URL): boolean {
  return url.hostname === 'localhost' || isLoopback(url.hostname.replaceAll(/^\[|\]$/g, ''))
}

/** Characters that end the host of an address or stand before it: no wildcard of a host covers them, or it would reach into another's. */
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

/** Where a request wants people to be sent: a header, the query, or the page it came from; the site when none of them is allowed. */
export function redirectOf(request: FastifyRequest, redirects: RedirectPolicy): string {
  const { redirect_to: inQuery } = request.query as { readonly redirect_to?: unknown }
  const { redirect_to: inHeader, referer } = request.headers
  const asked = typeof inHeader === 'string' && inHeader !== '' ? inHeader : inQuery
  return redirects.choose(typeof asked === 'string' ? asked : undefined, referer)
}
