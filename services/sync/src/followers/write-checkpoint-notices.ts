import { createHash } from 'node:crypto'
import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { listen, sql, type Pool } from '@holdfast/postgres'
import { readWriteCheckpoints, type Device, type WriteCheckpoint } from '../checkpoints/write-checkpoints.ts'
import { FOLLOW_RETRY_MS } from './limits.ts'

/** Channel on which servers tell each other about write checkpoints. */
const CHANNEL = 'holdfast_sync_write_checkpoints'

/** Passes write checkpoints on to the server that has the device's stream, which may be another one than the device asked. */
export interface WriteCheckpointNotices extends AsyncDisposable {
  /** Call when other servers are on this database. */
  start(): void
  /** Call when a device has asked for a write checkpoint. */
  tell(device: Device): Promise<void>
}

export interface WriteCheckpointNoticesOptions {
  readonly url: string
  readonly instance: string
  readonly pool: Pool
  /** The devices with streams on this server. */
  readonly devices: () => Iterable<Device>
  /** Called with write checkpoints that another server may have created. */
  readonly onTold: (device: Device, checkpoint: WriteCheckpoint) => void
  readonly logger: Logger
}

export function createWriteCheckpointNotices(options: WriteCheckpointNoticesOptions): WriteCheckpointNotices {
  const { url, instance, pool, devices, onTold, logger } = options
  const stopping = new AbortController()
  const digests = new WeakMap<Device, string>()
  let listening: Promise<AsyncDisposable | undefined> | undefined

  function digestOf(device: Device): string {
    const known = digests.get(device)
    if (known !== undefined) return known
    const digest = createHash('sha256')
      .update(JSON.stringify([device.userId, device.clientId]))
      .digest('base64')
    digests.set(device, digest)
    return digest
  }

  /** Reads the numbers from the database, because every role that logs in may notify. */
  async function read(concerned: readonly Device[]): Promise<void> {
    if (concerned.length === 0) return
    try {
      const found = await readWriteCheckpoints(pool, concerned)
      for (const [index, device] of concerned.entries()) {
        const checkpoint = found[index]
        if (checkpoint) onTold(device, checkpoint)
      }
    } catch (error) {
      logger.log('warn', 'write checkpoints of other servers could not be read', { reason: errorMessage(error) })
    }
  }

  async function open(): Promise<AsyncDisposable | undefined> {
    while (!stopping.signal.aborted) {
      try {
        return await listen({
          url,
          channels: [CHANNEL],
          applicationName: `holdfast notices ${instance}`,
          onNotify: (_, payload) => void read([...devices()].filter((device) => digestOf(device) === payload)),
          // Earlier ones may have been missed.
          onListening: () => void read([...devices()]),
          logger,
        })
      } catch (error) {
        logger.log('debug', 'write checkpoints of other servers cannot be heard', { reason: errorMessage(error) })
        await delay(FOLLOW_RETRY_MS, stopping.signal).catch(() => undefined) // stopping ends the loop
      }
    }
    return undefined
  }

  return {
    start: () => void (listening ??= open()),
    async tell(device) {
      // Digests, because every role that logs in may listen.
      if (listening) await pool.query(sql`select pg_notify(${CHANNEL}, ${digestOf(device)})`)
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the server is stopping'))
      await (await listening)?.[Symbol.asyncDispose]()
    },
  }
}
