import { requireCaller } from '@holdfast/http'
import type { FastifyRequest } from 'fastify'
import type { StorageContext } from '../context.ts'
import { openRequestDatabase, type RequestDatabase } from '../database/request-database.ts'
import type { Operation } from '../operations.ts'

/** Opens the database for this request. */
export function openRequest(
  context: Pick<StorageContext, 'share'>,
  request: FastifyRequest,
  operation: Operation,
): RequestDatabase {
  return openRequestDatabase(context.share, {
    caller: requireCaller(request),
    operation,
    method: request.method,
    path: pathOf(request),
    headers: request.headers,
    userKey: userKeyOf(request),
  })
}

/** Fairness key of a request: the user, the address for anonymous requests, `undefined` for backend keys. */
export function userKeyOf(request: FastifyRequest): string | undefined {
  const { userId, role } = requireCaller(request)
  return userId ?? (role === 'anon' ? `address ${request.ip}` : undefined)
}

function pathOf({ url }: FastifyRequest): string {
  const mark = url.indexOf('?')
  return (mark < 0 ? url : url.slice(0, mark)).slice(0, 8_192)
}
