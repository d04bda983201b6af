import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError, errorMessage, type Logger } from '@holdfast/foundation'
import { logFailure } from '@holdfast/http'
import { isConnectionLoss } from '@holdfast/postgres'
import { syncVocabulary } from './vocabulary.ts'

/**
 * Renders errors of sync paths that the routes did not handle, in the PowerSync service's form
 * `{"error":{"code","status","description","name"}}`.
 */
export function renderSyncFailure(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  const error = toRefusal(thrown)
  if (error.status >= 500 && error.status !== 503) {
    logFailure(logger, request, 'a sync request failed', { error: thrown, code: error.code })
  }
  return reply
    .code(error.status)
    .headers(error.headers ?? {})
    .send({
      error: {
        code: error.code,
        status: error.status,
        description: error.message,
        name: error.status === 401 ? 'AuthorizationError' : 'ServiceError',
        ...(error.detail === undefined ? {} : { details: error.detail }),
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      },
    })
}

/**
 * Gives the HTTP server's errors for slow bodies and for too many bodies in memory the codes of the PowerSync service. The server raises them before it knows
 * which service a request is for.
 */
function inSyncsWords(error: HoldfastError): HoldfastError {
  if (error.code === 'body_memory_full') {
    return new HoldfastError('PSYNC_S2304', 503, error.message, { hint: error.hint, headers: error.headers ?? {} })
  }
  if (error.code !== 'request_timeout') return error
  return new HoldfastError('PSYNC_S2001', 408, error.message, { hint: error.hint })
}

function toRefusal(thrown: unknown): HoldfastError {
  if (thrown instanceof HoldfastError) return inSyncsWords(thrown)
  if (isConnectionLoss(thrown)) return syncVocabulary.unavailable()
  const { code, statusCode } = thrown as Partial<FastifyError>
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return new HoldfastError(code, statusCode, errorMessage(thrown))
  }
  return new HoldfastError('PSYNC_S2001', 500, 'Internal server error')
}
