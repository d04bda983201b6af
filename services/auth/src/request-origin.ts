import type { FastifyRequest } from 'fastify'
import type { RequestOrigin } from './sessions/session-row.ts'

/** Where a request comes from, as far as the server trusts what it was told. */
export function originOf(request: FastifyRequest): RequestOrigin {
  return { address: request.ip, userAgent: request.headers['user-agent'] }
}

/** Headers added by proxies. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded', 'x-real-ip', 'via']

/** Whether a request came through a proxy that says so. */
export function isProxied(request: FastifyRequest): boolean {
  return PROXY_HEADERS.some((name) => request.headers[name] !== undefined)
}
