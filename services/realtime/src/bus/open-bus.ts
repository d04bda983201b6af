import { randomBytes } from 'node:crypto'
import type { Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import type { Bus } from './bus.ts'
import { openLocalBus } from './local-bus.ts'

export interface OpenBusOptions {
  /** Set if other servers may use the database. */
  readonly shared:
    | {
        /** As the owner of schema `realtime`, for a listening connection. */
        readonly url: string
        /** As the same owner. Owned by the caller. */
        readonly pool: Pool
      }
    | undefined
  readonly logger: Logger
}

/** Opens the bus of channels: within this process, or between all servers of the database. */
export async function openBus({ shared, logger }: OpenBusOptions): Promise<Bus> {
  if (!shared) return openLocalBus(logger)
  const [{ openNetworkBus }, { postgresTransport, readBusSecret }] = await Promise.all([
    import('./network-bus.ts'),
    import('./postgres-transport.ts'),
  ])
  const secret = await readBusSecret(shared.pool, randomBytes(32))
  return await openNetworkBus({ openTransport: postgresTransport({ ...shared, logger }), secret, logger })
}
