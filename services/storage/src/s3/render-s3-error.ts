import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import { logFailure } from '@holdfast/http'
import { toStorageError } from '../database/postgres-error.ts'
import { renderXml } from './render-xml.ts'

/** Storage codes that S3 names differently. The gateway handles token errors. */
const S3_CODES: Readonly<Record<string, string>> = {
  KeyAlreadyExists: 'PreconditionFailed',
  ResourceNotEmpty: 'BucketNotEmpty',
  InvalidParameter: 'InvalidArgument',
  RoleRefused: 'AccessDenied',
  token_expired: 'ExpiredToken',
  bad_jwt: 'InvalidToken',
  foreign_audience: 'InvalidToken',
  token_role_refused: 'InvalidToken',
  session_not_found: 'InvalidToken',
  session_expired: 'ExpiredToken',
  user_banned: 'AccessDenied',
}
const S3_STATUSES: Readonly<Record<string, number>> = {
  PreconditionFailed: 412,
  ExpiredToken: 400,
  InvalidToken: 400,
  // SDKs back off and retry on this status.
  SlowDown: 503,
}

/** Renders an error as S3 does, with its own HTTP status. */
export function renderS3Error(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  const error = toRefusal(thrown)
  const code = S3_CODES[error.code] ?? error.code
  const status = S3_STATUSES[code] ?? error.status
  if (status >= 500 && code !== 'NotImplemented' && code !== 'SlowDown') {
    logFailure(logger, request, 'an S3 request failed', { error: thrown, code })
  }
  const { headers = {} } = error
  reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type('application/xml; charset=utf-8')
  if (request.method === 'HEAD') return reply.send()
  const [Resource = ''] = request.url.split('?')
  return reply.send(
    renderXml('Error', { Code: code, Message: error.message, Resource, RequestId: String(request.id) }, false),
  )
}

function toRefusal(thrown: unknown): HoldfastError {
  const known = toStorageError(thrown)
  if (known instanceof HoldfastError) return known
  const { statusCode } = thrown as Partial<FastifyError>
  if (statusCode !== undefined && statusCode < 500)
    return new HoldfastError('InvalidRequest', statusCode, (thrown as Error).message)
  return new HoldfastError('InternalError', 500, 'We encountered an internal error. Please try again.')
}
