import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError, type Logger, Semaphore } from '@holdfast/foundation'
import { type Caller, logFailure } from '@holdfast/http'
import { isConnectionLoss } from '@holdfast/postgres'

/** Renders errors of the app's routes as `{code, message, hint?}`. @param failed - the action that failed, for the log and the user */
export function answerRefusals(app: FastifyInstance, logger: Logger, failed: string): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, failed)
    if (refusal.status >= 500) logFailure(logger, request, failed, { error })
    return send(reply, refusal)
  })
}

function refusalOf(error: unknown, failed: string): HoldfastError {
  if (error instanceof HoldfastError) return error
  if (isConnectionLoss(error))
    return new HoldfastError('unavailable', 503, 'The database is starting. Try again in a moment.')
  const { statusCode, message } = error as { readonly statusCode?: number; readonly message?: string }
  if (statusCode !== undefined && statusCode < 500)
    return new HoldfastError('invalid_request', statusCode, message ?? '')
  return new HoldfastError('unexpected_failure', 500, `${failed[0]?.toUpperCase()}${failed.slice(1)}. Try again later.`)
}

function send(reply: FastifyReply, error: HoldfastError): FastifyReply {
  return reply
    .code(error.status)
    .headers(error.headers ?? {})
    .send({ code: error.code, message: error.message, ...(error.hint !== undefined && { hint: error.hint }) })
}

/** Limits concurrent requests that may each cost a password hash. Others are refused. */
export function limitPasswordHashes(permits: number): Semaphore {
  const busy = (): HoldfastError =>
    new HoldfastError('busy', 429, 'The server is busy. Try again in a moment.', { headers: { 'retry-after': '2' } })
  return new Semaphore({ permits, waitingMax: 0, refuse: busy })
}

/** Returns the fields of a JSON body; none for any other body. */
export function fieldsOf({ body }: FastifyRequest): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
}

/**
 * Returns the signed-in user of a request and their id.
 *
 * @param readCaller - throws for a token that is not valid or whose session has ended
 * @throws {HoldfastError} `not_signed_in`, 401
 */
export async function requireUser(
  { headers }: FastifyRequest,
  readCaller: (token: string) => Promise<Caller>,
): Promise<{ readonly caller: Caller; readonly userId: string }> {
  const [, token] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
  const caller = token === undefined ? undefined : await readCaller(token)
  if (caller?.userId === undefined) throw new HoldfastError('not_signed_in', 401, 'Sign in first.')
  return { caller, userId: caller.userId }
}
