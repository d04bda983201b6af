import { createHash } from 'node:crypto'
import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { listen, sql, type Pool } from '@holdfast/postgres'
import type { Device } from '../checkpoints/write-checkpoints.ts'
import { FOLLOW_RETRY_MS } from './limits.ts'

/** What there is for a device, and the channel on which servers tell each other. */
const CHANNELS = { writeCheckpoint: 'holdfast_sync_write_checkpoints', action: 'holdfast_sync_device_actions' } as const

export type DeviceNews = keyof typeof CHANNELS

/** Tells the server that has a device's stream that there is something for the device in the database, such as a write checkpoint. */
export interface DeviceNotices extends AsyncDisposable {
  /** Call when other servers are on this database. */
  start(): void
  /** Call when there is something for a device. */
  tell(device: Device, news: DeviceNews): Promise<void>
}

export interface DeviceNoticesOptions {
  readonly url: string
  readonly instance: string
  readonly pool: Pool
  /** The devices with streams on this server. */
  readonly devices: () => Iterable<Device>
  /** Called with devices of this server for which there may be something in the database. Every role that logs in may notify, so a notice says no more. */
  readonly onTold: Readonly<Record<DeviceNews, (devices: readonly Device[]) => Promise<void>>>
  readonly logger: Logger
}

export function createDeviceNotices(options: DeviceNoticesOptions): DeviceNotices {
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

  async function read(news: DeviceNews, concerned: readonly Device[]): Promise<void> {
    if (concerned.length === 0) return
    try {
      await onTold[news](concerned)
    } catch (error) {
      logger.log('warn', 'what other servers say about devices could not be read', { reason: errorMessage(error) })
    }
  }

  async function open(): Promise<AsyncDisposable | undefined> {
    while (!stopping.signal.aborted) {
      try {
        return await listen({
          url,
          channels: Object.values(CHANNELS),
          applicationName: `holdfast notices ${instance}`,
          onNotify(channel, payload) {
            const concerned = [...devices()].filter((device) => digestOf(device) === payload)
            void read(channel === CHANNELS.action ? 'action' : 'writeCheckpoint', concerned)
          },
          // Earlier ones may have been missed.
          onListening() {
            for (const news of ['writeCheckpoint', 'action'] as const) void read(news, [...devices()])
          },
          logger,
        })
      } catch (error) {
        logger.log('debug', 'what other servers say about devices cannot be heard', { reason: errorMessage(error) })
        await delay(FOLLOW_RETRY_MS, stopping.signal).catch(() => undefined) // stopping ends the loop
      }
    }
    return undefined
  }

  return {
    start: () => void (listening ??= open()),
    async tell(device, news) {
      // Digests, because every role that logs in may listen.
      if (listening) await pool.query(sql`select pg_notify(${CHANNELS[news]}, ${digestOf(device)})`)
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the server is stopping'))
      await (await listening)?.[Symbol.asyncDispose]()
    },
  }
}
