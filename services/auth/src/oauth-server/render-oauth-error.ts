import type { FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import { renderError } from '../render-error.ts'
import { OAuthError } from './errors.ts'

/** Renders errors for an app as in RFC 6749, section 5.2. Other client errors get an OAuth code; the rest are rendered as elsewhere. */
export function renderOAuthError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  const uncached = reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
  if (thrown instanceof OAuthError) {
    const { status, headers, code, message } = thrown
    return uncached
      .code(status)
      .headers({ ...headers })
      .send({ error: code, error_description: message })
  }
  if (thrown instanceof HoldfastError && thrown.status < 500 && thrown.status !== 404) {
    const error = thrown.status === 429 ? 'temporarily_unavailable' : 'invalid_request'
    return uncached
      .code(thrown.status)
      .headers({ ...thrown.headers })
      .send({ error, error_description: thrown.message })
  }
  return renderError(thrown, request, uncached, logger)
}
