import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { logFailure } from '@holdfast/http'
import { toStorageError } from '../database/postgres-error.ts'
import { ERROR_NAMES, entityTooLarge, invalidMimeType } from '../errors.ts'

/** Codes sent with their own HTTP status. Others are sent with 400, and the body has the status. */
const OWN_STATUS: ReadonlySet<string> = new Set(['RoleRefused', 'SlowDown'])

/** Renders an error as Supabase's storage service does: the HTTP status is 400 for nearly all refusals, and `statusCode` in the body (a string) is specific. */
export function renderError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  const error = toRefusal(thrown)
  if (error.status >= 500) {
    logFailure(logger, request, 'a storage request failed', { error: thrown, code: error.code })
  }
  const code = error.code === 'RoleRefused' ? 'AccessDenied' : error.code
  return reply
    .code(statusOf(error))
    .headers({ 'cache-control': 'no-store', ...error.headers })
    .type('application/json; charset=utf-8')
    .send({
      statusCode: String(error.status),
      error: ERROR_NAMES[error.code] ?? error.code,
      message: error.message,
      code,
    })
}

function statusOf({ status, code }: HoldfastError): number {
  return status === 416 || status >= 500 || OWN_STATUS.has(code) ? status : 400
}

function toRefusal(thrown: unknown): HoldfastError {
  const known = toStorageError(thrown)
  if (known instanceof HoldfastError) return known
  const { code, statusCode, validation } = thrown as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return invalidMimeType('of the body')
  if (statusCode === 413) return entityTooLarge('request')
  if (validation || (statusCode !== undefined && statusCode < 500))
    return new HoldfastError('InvalidRequest', 400, errorMessage(thrown))
  return new HoldfastError('InternalError', 500, 'Internal Server Error')
}
