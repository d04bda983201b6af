import type { FastifyReply } from 'fastify'

/** An error response of the platform rather than the function, as on Supabase. */
export interface PlatformError {
  readonly status: number
  readonly code: string
  readonly body: string | Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

function unauthorized(code: string, msg: string): PlatformError {
  // Makes the client throw a FunctionsRelayError.
  return { status: 401, code, body: { msg }, headers: { 'x-relay-error': 'true' } }
}

export const missingAuthorization = unauthorized('UNAUTHORIZED_NO_AUTH_HEADER', 'Error: Missing authorization header')
export const notBearer = unauthorized('UNAUTHORIZED_INVALID_AUTH_HEADER', "Error: Auth header is not 'Bearer {token}'")
export const invalidJwt = unauthorized('UNAUTHORIZED_INVALID_JWT', 'Invalid JWT')

export const issuerUnavailable: PlatformError = {
  status: 503,
  code: 'ISSUER_UNAVAILABLE',
  body: { code: 'ISSUER_UNAVAILABLE', message: 'The keys of the token’s issuer are not available at the moment' },
  headers: { 'retry-after': '5' },
}

export const functionNotFound: PlatformError = {
  status: 404,
  code: 'NOT_FOUND',
  body: { code: 'NOT_FOUND', message: 'Requested function was not found' },
}

/** As in sync's operator routes. */
export const serviceKeyOnly: PlatformError = {
  status: 403,
  code: 'FORBIDDEN',
  body: { error: { code: 'FORBIDDEN', description: 'Only operators with the service key may use this' } },
}

export const bootError = coded(503, 'BOOT_ERROR', 'Worker failed to boot (please check logs)')
export const workerError = coded(500, 'WORKER_ERROR', 'Function exited due to an error (please check logs)')
export const workerLimit = coded(
  546,
  'WORKER_LIMIT',
  'Worker failed to respond due to a resource limit (please check logs)',
)
export const idleTimeout = coded(504, 'IDLE_TIMEOUT', 'The function did not respond in time (please check logs)')

export const tooManyRequests: PlatformError = {
  ...coded(503, 'TOO_MANY_REQUESTS', 'Too many requests to functions are open'),
  headers: { 'retry-after': '1' },
}

function coded(status: number, code: string, message: string): PlatformError {
  return { status, code, body: { code, message } }
}

/** Allows every origin to read the response, because the function that decides about CORS was not called. */
const READABLE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-relay-error, sb-error-code, sb-request-id, retry-after',
}

export function sendPlatformError(reply: FastifyReply, error: PlatformError): FastifyReply {
  return reply
    .code(error.status)
    .headers({
      ...READABLE,
      'sb-error-code': error.code,
      'sb-request-id': reply.request.id,
      ...error.headers,
    })
    .send(error.body)
}
