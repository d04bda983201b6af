import type { FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import { logFailure } from '@holdfast/http'
import { isConnectionLoss, sqlstateOf } from '@holdfast/postgres'
import { unstorableText, WeakPasswordError } from './errors.ts'

/** API version since which `code` is the error name; before, `code` is the status and `error_code` the name. */
const NAMED_CODES_SINCE = '2024-01-01'
const VERSION_HEADER = 'x-supabase-api-version'

/** Postgres's errors for NUL in text or JSON, which are the request's fault. */
const TEXT_SQLSTATES: ReadonlySet<string> = new Set(['22021', '22P05'])

/** Renders an error in GoTrue's format, for the API version named by the request. */
export function renderError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  const error = toRefusal(thrown)
  if (error.status >= 500) {
    logFailure(logger, request, 'an auth request failed', { error: thrown, code: error.code })
  }
  const { code, message } = error
  void reply.code(error.status).headers({ ...error.headers, 'x-sb-error-code': code })
  const weakPassword = thrown instanceof WeakPasswordError ? { weak_password: { reasons: thrown.reasons } } : {}
  if (namesCodes(request)) {
    return reply.header(VERSION_HEADER, NAMED_CODES_SINCE).send({ code, message, ...weakPassword })
  }
  return reply.send({ code: error.status, error_code: code, msg: message, ...weakPassword })
}

function namesCodes(request: FastifyRequest): boolean {
  const version = request.headers[VERSION_HEADER]
  return typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) && version >= NAMED_CODES_SINCE
}

function toRefusal(thrown: unknown): HoldfastError {
  // Also checks the cause of a wrapped statement failure.
  const failed = thrown instanceof HoldfastError && thrown.status >= 500 ? thrown.cause : thrown
  if (TEXT_SQLSTATES.has(sqlstateOf(failed) ?? '')) {
    return unstorableText()
  }
  if (thrown instanceof HoldfastError) return inGoTruesWords(thrown)
  if (isConnectionLoss(thrown)) {
    return new HoldfastError('unexpected_failure', 503, 'The database is not available', {
      headers: { 'retry-after': '1' },
    })
  }
  const { code, statusCode, message } = thrown as { code?: string; statusCode?: number; message?: string }
  if (statusCode === 413) {
    return new HoldfastError('request_entity_too_large', 413, 'Request body too large')
  }
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return new HoldfastError('bad_json', 400, `Could not parse request body as JSON: ${message ?? ''}`)
  }
  return new HoldfastError(
    'unexpected_failure',
    500,
    'Unexpected failure, please check server logs for more information',
  )
}

/** Translates the gateway's token errors, which are common to all services, into those that auth-js knows. */
function inGoTruesWords(error: HoldfastError): HoldfastError {
  if (error.status !== 401) return error
  if (error.code === 'token_expired') {
    return new HoldfastError('bad_jwt', 403, 'invalid JWT: token has invalid claims: token is expired')
  }
  const isOfToken = error.code === 'bad_jwt' || error.code === 'token_role_refused'
  return isOfToken ? new HoldfastError('bad_jwt', 403, error.message) : error
}
