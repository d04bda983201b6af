import type { FastifyPluginAsync } from 'fastify'
import type { Clock, Logger } from '@holdfast/foundation'
import type { Pool, PoolShare } from '@holdfast/postgres'
import { Rights } from './access/rights.ts'
import { Tokens, type TokenChecks } from './access/tokens.ts'
import { openLocalBus } from './bus/local-bus.ts'
import { Topics } from './channel/topics.ts'
import type { RealtimeOptions } from './options.ts'
import { keepPartitions } from './partitions.ts'
import { realtimeRoutes } from './routes.ts'

export interface OpenRealtimeOptions {
  /** Connections as `authenticator`; statements run under the role of the caller. Owned by whoever opened it. */
  readonly share: PoolShare
  /** Connections as the owner of schema `realtime`, for its partitions. Owned by whoever opened it. */
  readonly pool: Pool
  /** What the accounts service knows of tokens. */
  readonly tokens: TokenChecks
  readonly options: RealtimeOptions
  readonly logger: Logger
  readonly clock: Clock
}

export interface RealtimeService extends AsyncDisposable {
  /** To be mounted at `/realtime/v1`, behind a hook that sets `request.caller` for all but the WebSocket. */
  readonly routes: FastifyPluginAsync
}

/** Opens channels as Supabase's realtime service has them. */
export function openRealtime(input: OpenRealtimeOptions): RealtimeService {
  const { share, pool, tokens, options, logger, clock } = input
  const bus = openLocalBus(logger)
  const rights = new Rights(share, logger)
  const context = { tokens: new Tokens(tokens, clock), topics: new Topics(bus), rights, options, logger, clock }
  const partitions = keepPartitions(pool, logger)
  let loading: ReturnType<typeof load> | undefined

  async function load() {
    const { openHandlers } = await import('./handlers.ts')
    return openHandlers(context)
  }

  return {
    routes: realtimeRoutes(async () => (await (loading ??= load())).handlers, logger),
    async [Symbol.asyncDispose]() {
      // The clients connect again, to this server when it is back, or to another one.
      await (await loading)?.hub[Symbol.asyncDispose]()
      await bus[Symbol.asyncDispose]()
      await partitions[Symbol.asyncDispose]()
    },
  }
}
