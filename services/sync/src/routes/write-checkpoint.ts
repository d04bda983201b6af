import type { FastifyPluginAsync } from 'fastify'
import { requireCaller } from '@holdfast/http'
import type { Pool } from '@holdfast/postgres'
import type { Marks } from '../checkpoints/marks.ts'
import { createWriteCheckpoint } from '../checkpoints/write-checkpoints.ts'
import { missingSubject, notReady } from '../errors.ts'
import type { Connections } from '../stream/connections.ts'

export interface WriteCheckpointRouteOptions {
  readonly pool: Pool
  readonly marks: Marks
  readonly connections: Connections
  readonly isReady: () => boolean
  /** Aborts when the service stops. */
  readonly signal: AbortSignal
}

/**
 * `GET /write-checkpoint2.json`: asked by the client after an upload. The number comes back in a checkpoint once everything that committed before the
 * request is contained in it.
 */
export function writeCheckpointRoutes(options: WriteCheckpointRouteOptions): FastifyPluginAsync {
  const { pool, marks, connections } = options
  return async (app) => {
    app.get<{ Querystring: { readonly client_id?: string } }>('/write-checkpoint2.json', async (request) => {
      const { userId } = requireCaller(request)
      if (userId === undefined) throw missingSubject()
      if (!options.isReady()) throw notReady()
      const clientId = request.query.client_id ?? ''
      const checkpoint = await createWriteCheckpoint(pool, userId, clientId)
      for (const connection of connections.of(userId, clientId)) connection.session.addWriteCheckpoint(checkpoint)
      void marks.pass(checkpoint.lsn, options.signal).then(
        () => {
          for (const connection of connections.of(userId, clientId)) connection.session.wake()
        },
        () => undefined, // stopping, or Postgres is gone: the next change that passes wakes the stream
      )
      return { data: { write_checkpoint: String(checkpoint.id) } }
    })
  }
}
