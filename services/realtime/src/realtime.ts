import type { FastifyPluginAsync } from 'fastify'
import type { Clock, Logger } from '@holdfast/foundation'
import { Tokens, type TokenChecks } from './access/tokens.ts'
import { openLocalBus } from './bus/local-bus.ts'
import { Topics } from './channel/topics.ts'
import type { RealtimeOptions } from './options.ts'
import { realtimeRoutes } from './routes.ts'

export interface OpenRealtimeOptions {
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
export function openRealtime({ tokens, options, logger, clock }: OpenRealtimeOptions): RealtimeService {
  const bus = openLocalBus(logger)
  const context = { tokens: new Tokens(tokens, clock), topics: new Topics(bus), options, logger, clock }
  let loading: ReturnType<typeof load> | undefined

  async function load() {
    const { openHandlers } = await import('./handlers.ts')
    return openHandlers(context, async () => false)
  }

  return {
    routes: realtimeRoutes(async () => (await (loading ??= load())).handlers, logger),
    async [Symbol.asyncDispose]() {
      // The clients connect again, to this server when it is back, or to another one.
      await (await loading)?.hub[Symbol.asyncDispose]()
      await bus[Symbol.asyncDispose]()
    },
  }
}
