import type { FastifyRequest } from 'fastify'
import type { Logger } from '@holdfast/foundation'

/**
 * Logs that a request failed. It is no error when the client went away before all of its request had come: a body that ends early shows up as `ECONNRESET` in
 * whoever was reading it, and anybody can break off any number of requests.
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
