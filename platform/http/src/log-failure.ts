import type { FastifyRequest } from 'fastify'
import type { Logger } from '@holdfast/foundation'

/**
 * Logs a failed request. Not an error if the client disconnected early: a truncated body appears as `ECONNRESET` in its reader, and anyone can abort any number
 * of requests.
 */
export function logFailure(
  logger: Logger,
  { raw }: Pick<FastifyRequest, 'raw'>,
  message: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  const isClientGone = !raw.complete && raw.destroyed
  logger.log(isClientGone ? 'debug' : 'error', message, fields)
}
