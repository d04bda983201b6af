import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'

/**
 * Renders failures in the PowerSync service's vocabulary: `{"error":{"code","status","description","name"}}`. Framework errors keep their
 * `FST_…` code. What is no refusal of ours is left to the gateway, which answers 500 with an id and logs everything.
 */
export function renderSyncError(error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof HoldfastError) {
    return reply
      .code(error.status)
      .headers(error.headers ?? {})
      .send(body(error.code, error.status, error.message, error.detail, error.hint))
  }
  const status = (error as Partial<FastifyError>).statusCode
  const code = (error as Partial<FastifyError>).code
  if (status !== undefined && status >= 400 && status < 500 && code !== undefined) {
    return reply.code(status).send(body(code, status, (error as Error).message, undefined, undefined))
  }
  throw error
}

function body(
  code: string,
  status: number,
  description: string,
  details: string | undefined,
  hint: string | undefined,
): unknown {
  return {
    error: {
      code,
      status,
      description,
      name: 'ServiceError',
      ...(details ? { details } : {}),
      ...(hint ? { hint } : {}),
    },
  }
}
