import type { FastifyRequest } from 'fastify'
import { errorCause, type Logger } from '@holdfast/foundation'

/**
 * Logs a failed request. Not an error if the client disconnected early: a truncated body appears as `ECONNRESET` in its reader, and anyone can abort any number
 * of requests.
 */
export function logFailure(
  logger: Logger,
  { id, method, raw, routeOptions }: FastifyRequest,
  message: string,
  { error, code }: { readonly error: unknown; readonly code?: string },
): void {
  const isClientGone = !raw.complete && raw.destroyed
  logger.log(isClientGone ? 'debug' : 'error', message, {
    requestId: id,
    method,
    route: routeOptions?.url,
    ...(code !== undefined && { code }),
    cause: errorCause(error),
  })
}
