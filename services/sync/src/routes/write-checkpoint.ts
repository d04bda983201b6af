import type { FastifyPluginAsync } from 'fastify'
import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import type { Pool } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import type { WalBarrier } from '../checkpoints/wal-barrier.ts'
import { createWriteCheckpoint, type Device, type WriteCheckpoint } from '../checkpoints/write-checkpoints.ts'
import { missingSubject } from '../errors.ts'
import type { WriteCheckpointNotices } from '../followers/write-checkpoint-notices.ts'
import { readClientId } from '../stream/read-request.ts'
import type { Connections } from '../stream/connections.ts'

export interface WriteCheckpointRouteOptions {
  readonly pool: Pool
  readonly walBarrier: WalBarrier
  readonly notices: Pick<WriteCheckpointNotices, 'tell'>
  readonly connections: Connections
  /** @throws {HoldfastError} while the plan is not served */
  readonly requireReady: () => void
  /** Aborts when the service stops. */
  readonly signal: AbortSignal
  readonly logger: Logger
}

const RETRY_MS = 200

/** Tells the streams of a device about a write checkpoint: now, and when the log has passed it. */
export function createWriteCheckpointDelivery({
  walBarrier,
  connections,
  signal,
  logger,
}: Pick<WriteCheckpointRouteOptions, 'walBarrier' | 'connections' | 'signal' | 'logger'>) {
  /** Retries until the service stops: without the number the device applies no further changes. */
  async function passed(lsn: Lsn): Promise<void> {
    for (;;) {
      try {
        await walBarrier.waitFor(lsn, signal)
        return
      } catch (error) {
        if (signal.aborted) throw error
        logger.log('debug', 'a write checkpoint waits for Postgres', { reason: errorMessage(error) })
        await delay(RETRY_MS, signal)
      }
    }
  }

  return ({ userId, clientId }: Device, checkpoint: WriteCheckpoint): void => {
    for (const connection of connections.of(userId, clientId)) connection.session.addWriteCheckpoint(checkpoint)
    void passed(checkpoint.lsn).then(
      () => {
        for (const connection of connections.of(userId, clientId)) connection.session.wake()
      },
      () => undefined, // the service is stopping
    )
  }
}

/**
 * `GET /write-checkpoint2.json`: requested by the client after an upload. The number is sent in the checkpoint that contains everything committed before the
 * request.
 */
export function writeCheckpointRoutes(options: WriteCheckpointRouteOptions): FastifyPluginAsync {
  const { pool, notices } = options
  const deliver = createWriteCheckpointDelivery(options)
  return async (app) => {
    app.get<{ Querystring: { readonly client_id?: unknown } }>('/write-checkpoint2.json', async (request) => {
      const { userId } = requireCaller(request)
      if (userId === undefined) throw missingSubject()
      options.requireReady()
      const device = { userId, clientId: readClientId(request.query.client_id) }
      const checkpoint = await createWriteCheckpoint(pool, userId, device.clientId)
      deliver(device, checkpoint)
      await notices.tell(device)
      return { data: { write_checkpoint: String(checkpoint.id) } }
    })
  }
}
