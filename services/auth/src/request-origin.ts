import type { FastifyRequest } from 'fastify'
import type { RequestOrigin } from './sessions/session-row.ts'

/** Where a request comes from, as far as the server trusts what it was told. */
export function originOf(request: FastifyRequest): RequestOrigin {
  return { address: request.ip, userAgent: request.headers['user-agent'] }
}
