import { createHmac, randomBytes } from 'node:crypto'
import type { Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import type { Bus } from './bus.ts'
import { openLocalBus } from './local-bus.ts'
import type { OpenTransport } from './transport.ts'

export interface OpenBusOptions {
  /** Set if other servers may use the database. */
  readonly shared: SharedDatabase | undefined
  readonly logger: Logger
}

export interface SharedDatabase {
  /** As the owner of schema `realtime`, for a listening connection. */
  readonly url: string
  /** As the same owner. Owned by the caller. */
  readonly pool: Pool
  /** Carries the messages by NATS instead of Postgres. */
  readonly natsUrl: string | undefined
}

/** Opens the bus of channels: within this process, or between all servers of the database. */
export async function openBus({ shared, logger }: OpenBusOptions): Promise<Bus> {
  if (!shared) return openLocalBus(logger)
  const { openNetworkBus } = await import('./network-bus.ts')
  const { readBusSecret } = await import('./bus-secret.ts')
  const secret = await readBusSecret(shared.pool, randomBytes(32))
  return await openNetworkBus({ openTransport: await transportOf(shared, secret, logger), secret, logger })
}

async function transportOf(
  { url, pool, natsUrl }: SharedDatabase,
  secret: Buffer,
  logger: Logger,
): Promise<OpenTransport> {
  if (natsUrl === undefined) {
    const { postgresTransport } = await import('./postgres-transport.ts')
    return postgresTransport({ url, pool, logger })
  }
  const { natsTransport } = await import('./nats-transport.ts')
  // Servers of other databases may use the same NATS.
  const database = createHmac('sha256', secret).update('subject').digest('hex').slice(0, 32)
  return natsTransport({ url: natsUrl, subject: `holdfast.${database}.channels`, logger })
}
