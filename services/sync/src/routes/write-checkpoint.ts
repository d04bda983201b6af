import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import type { Pool } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import type { WalBarrier } from '../checkpoints/wal-barrier.ts'
import {
  createWriteCheckpoint,
  requestWriteCheckpoint,
  type Device,
  type WriteCheckpoint,
} from '../checkpoints/write-checkpoints.ts'
import { missingSubject } from '../errors.ts'
import type { DeviceNotices } from '../followers/device-notices.ts'
import { readCheckpointRequest, readClientId } from '../stream/read-request.ts'
import type { Connections } from '../stream/connections.ts'

export interface WriteCheckpointRouteOptions {
  readonly pool: Pool
  readonly walBarrier: WalBarrier
  readonly notices: Pick<DeviceNotices, 'tell'>
  readonly connections: Connections
  /** @throws {HoldfastError} while the plan is not served */
  readonly requireReady: () => void
  /** Aborts when the service stops. */
  readonly signal: AbortSignal
  readonly logger: Logger
}

const RETRY_MS = 200
const CHECKPOINT_REQUEST_BYTES_MAX = 16 * 1024

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
 * request. `POST /sync/checkpoint-request`: the same with a number of the client's (`checkpointMode: 'requests'`); the answer names the number that it gets,
 * which is higher if the client's was used before. Source: the PowerSync service 1.24 and its clients.
 */
export function writeCheckpointRoutes(options: WriteCheckpointRouteOptions): FastifyPluginAsync {
  const { pool, notices } = options
  const deliver = createWriteCheckpointDelivery(options)

  /** @returns the number of the write checkpoint that `create` makes for the caller's device */
  async function answer(
    request: FastifyRequest,
    clientId: string,
    create: (device: Device) => Promise<WriteCheckpoint>,
  ): Promise<string> {
    const { userId } = requireCaller(request)
    if (userId === undefined) throw missingSubject()
    options.requireReady()
    const device = { userId, clientId }
    const checkpoint = await create(device)
    deliver(device, checkpoint)
    await notices.tell(device, 'writeCheckpoint')
    return String(checkpoint.id)
  }

  return async (app) => {
    app.get<{ Querystring: { readonly client_id?: unknown } }>('/write-checkpoint2.json', async (request) => {
      const create = (device: Device): Promise<WriteCheckpoint> => createWriteCheckpoint(pool, device)
      return { data: { write_checkpoint: await answer(request, readClientId(request.query.client_id), create) } }
    })
    app.post('/sync/checkpoint-request', { bodyLimit: CHECKPOINT_REQUEST_BYTES_MAX }, async (request) => {
      const { clientId, number } = readCheckpointRequest(request.body)
      const create = (device: Device): Promise<WriteCheckpoint> => requestWriteCheckpoint(pool, device, number)
      return { data: { checkpoint_request_id: await answer(request, clientId, create) } }
    })
  }
}
