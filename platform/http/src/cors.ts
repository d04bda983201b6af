import type { FastifyInstance } from 'fastify'
import { PREFLIGHT_LIFETIME_S } from './limits.ts'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Headers sent by Supabase's clients, for preflights that list none. */
const REQUEST_HEADERS = [
  'authorization',
  'x-client-info',
  'apikey',
  'content-type',
  'prefer',
  'range',
  'range-unit',
  'accept-profile',
  'content-profile',
  'x-supabase-api-version',
  'x-user-agent',
  'x-retry-count',
  'if-none-match',
].join(', ')

/** Response headers that scripts of other origins may read. */
const RESPONSE_HEADERS = [
  'content-encoding',
  'content-location',
  'content-profile',
  'content-range',
  'etag',
  'link',
  'location',
  'preference-applied',
  'proxy-status',
  'range-unit',
  'retry-after',
  'x-request-id',
  'x-sb-error-code',
  'x-supabase-api-version',
  'x-total-count',
].join(', ')

/**
 * Enables CORS for the URLs selected by `applies`: for any origin, as Supabase does, or for those listed. Nothing depends on cookies: possession of a token
 * suffices, and browsers send no credentials automatically.
 *
 * @param origins - such as `https://app.example.com`; empty for any origin. Requests of other origins get no CORS headers, so browsers withhold the response
 */
export function allowOrigins(
  app: FastifyInstance,
  applies: (path: string) => boolean,
  origins: readonly string[],
): void {
  const listed = new Set(origins)
  app.addHook('onRequest', async (request, reply) => {
    if (!applies(request.url)) return
    if (listed.size > 0) {
      reply.header('vary', 'origin')
      if (!listed.has(request.headers.origin ?? '')) return
    }
    const allowed = listed.size > 0 ? (request.headers.origin ?? '') : '*'
    reply.headers({ 'access-control-allow-origin': allowed, 'access-control-expose-headers': RESPONSE_HEADERS })
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return
    const asked = request.headers['access-control-request-headers']
    reply.headers({
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': asked && isHeaderList(asked) ? asked : REQUEST_HEADERS,
      'access-control-max-age': String(PREFLIGHT_LIFETIME_S),
      vary: listed.size > 0 ? 'origin, access-control-request-headers' : 'access-control-request-headers',
    })
    return reply.code(204).send()
  })
}

/** Whether a text contains only names and commas, so it is safe to echo. */
function isHeaderList(text: string): boolean {
  return text.length < 4_096 && /^[\w\-!#$%&'*+.^`|~]+(\s*,\s*[\w\-!#$%&'*+.^`|~]+)*$/.test(text)
}
