import type { FastifyPluginAsync } from 'fastify'
import { requireCaller } from '@holdfast/http'
import { INCOMPLETE_PATH, type IncompleteAnswer } from '@holdfast/protocol'
import type { OmittedTables } from '../stream/omitted-tables.ts'

/**
 * `GET /sync/v1/incomplete?client_id=`: returns the caller's tables that are incomplete on a device, with the reason. Uses what its stream has found, without
 * querying Postgres.
 */
export function incompleteRoutes(options: {
  readonly omittedTables: Pick<OmittedTables, 'incomplete'>
  readonly requireReady: () => void
}): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Querystring: { readonly client_id?: unknown } }>(INCOMPLETE_PATH, async (request, reply) => {
      const { userId } = requireCaller(request)
      options.requireReady()
      const { client_id: clientId } = request.query
      const tables =
        userId === undefined
          ? undefined
          : options.omittedTables.incomplete({ userId, clientId: typeof clientId === 'string' ? clientId : '' })
      reply.header('cache-control', 'no-store')
      return { known: tables !== undefined, tables: tables ?? [] } satisfies IncompleteAnswer
    })
  }
}
