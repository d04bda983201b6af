import type { FastifyRequest } from 'fastify'
import type { RequestOrigin } from './sessions/session-row.ts'

/** Returns the client of a request, as far as proxies are trusted. */
export function originOf(request: FastifyRequest): RequestOrigin {
  return { address: request.ip, userAgent: request.headers['user-agent'] }
}

/** Headers added by proxies. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded', 'x-real-ip', 'via']

/** Returns whether a request came through a proxy that identifies itself. */
export function isProxied(request: FastifyRequest): boolean {
  return PROXY_HEADERS.some((name) => request.headers[name] !== undefined)
}
