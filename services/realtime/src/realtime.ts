import type { FastifyPluginAsync } from 'fastify'
import { Semaphore, type Clock, type Logger } from '@holdfast/foundation'
import type { Pool, PoolShare } from '@holdfast/postgres'
import type { ChangeTap, Lsn, TableName } from '@holdfast/replication'
import { Rights } from './access/rights.ts'
import { Tokens, type TokenChecks } from './access/tokens.ts'
import type { Bus } from './bus/bus.ts'
import { ChangeFeed } from './changes/change-feed.ts'
import { localChanges } from './changes/change-source.ts'
import { SharedChanges } from './changes/shared-changes.ts'
import { readPublishedTables } from './changes/published-tables.ts'
import { Topics } from './channel/topics.ts'
import { listenForBroadcasts } from './database/broadcast-listener.ts'
import { shareDatabaseBroadcasts } from './database/database-broadcasts.ts'
import { readStartupPosition } from './database/startup-position.ts'
import { tooManyChannels } from './errors.ts'
import { PAYLOAD_ALLOWANCE_BYTES, RIGHTS_TOGETHER_MAX } from './limits.ts'
import type { RealtimeOptions } from './options.ts'
import { keepPartitions } from './partitions.ts'
import { realtimeRoutes } from './routes.ts'

export interface OpenRealtimeOptions {
  /** Connections as `authenticator`; statements run under the caller's role. Owned by the caller. */
  readonly share: PoolShare
  /** Connections as the owner of schema `realtime`, for its partitions. Owned by the caller. */
  readonly pool: Pool
  /** As `holdfast_reader`, read-only: reads links between rows and users. Owned by the caller. */
  readonly readerPool: Pool
  /** As `holdfast_evaluator`, read-only: prints changes and evaluates filters. Owned by the caller. */
  readonly evaluatorPool: Pool
  /** Whether the project itself set a table's replica identity to full. */
  readonly hasFullIdentity: (oid: number) => Promise<boolean>
  /** Whether the tap includes some tables. Newly published tables follow after a moment. */
  readonly areFollowed: (tables: readonly TableName[]) => Promise<boolean>
  /** Committed changes of {@link RealtimeService.publishedTables}. */
  readonly tap: Pick<ChangeTap, 'listen'>
  /** Token checks provided by the auth service. */
  readonly tokens: TokenChecks
  /** Reaches the channels' members on all servers. Owned by the caller. */
  readonly bus: Bus
  /** Whether another server reads the database's changes. */
  readonly isStandby: () => boolean
  /** Whether this server reads them. Neither is certain while it starts. */
  readonly isReader: () => boolean
  /** Whether table changes are not read until an operator intervenes. Broadcast and presence continue. */
  readonly isUnfollowed: () => boolean
  readonly options: RealtimeOptions
  readonly logger: Logger
  readonly clock: Clock
}

export interface RealtimeService extends AsyncDisposable {
  /** Mount at `/realtime/v1`, behind a hook that sets `request.caller` for all but the WebSocket. */
  readonly routes: FastifyPluginAsync
  /** Tables whose changes it currently needs. */
  readonly publishedTables: () => Promise<readonly TableName[]>
  /** Channels with members on this server, for operators. */
  readonly channels: Pick<Topics, 'list' | 'describe'>
}

/** Opens channels, compatible with Supabase's realtime service. */
export function openRealtime(input: OpenRealtimeOptions): RealtimeService {
  const { share, pool, readerPool, evaluatorPool, hasFullIdentity, areFollowed } = input
  const { bus, tap, tokens, options, logger, clock, isStandby, isReader, isUnfollowed } = input
  const rights = new Rights(share, logger)
  const openedAt = readStartupPosition(pool, logger)
  const opened = (): Lsn | undefined => openedAt.lsn
  const { node } = bus
  const shared = node === undefined ? undefined : new SharedChanges({ tap, bus, node, isStandby, isReader })
  const source = shared ?? localChanges(tap)
  const changes = new ChangeFeed(
    { pool, readerPool, evaluatorPool, share, opened, hasFullIdentity, areFollowed, logger },
    source,
  )
  const context = {
    tokens: new Tokens(tokens, clock),
    topics: new Topics(bus),
    rights,
    rightsReads: new Semaphore({ permits: RIGHTS_TOGETHER_MAX }),
    changes,
    kept: new Semaphore({ permits: options.realtimeKeptTotalMax * 1_024, leavesRoom: true, refuse: tooManyChannels }),
    isUnfollowed,
    options,
    logger,
    clock,
  }
  const partitions = keepPartitions(pool, logger)
  const database = shareDatabaseBroadcasts(bus, ({ id, topic, isPrivate, broadcast }) =>
    context.topics.deliver(topic, isPrivate, { kind: 'broadcast', from: undefined, broadcast, id }),
  )
  const broadcasts = tap.listen(
    listenForBroadcasts({
      publish: (message) => database.publish(message),
      payloadBytesMax: options.realtimePayloadSizeMax * 1_000 + PAYLOAD_ALLOWANCE_BYTES,
      opened,
      logger,
    }),
  )
  let loading: ReturnType<typeof load> | undefined

  async function load() {
    const { openHandlers } = await import('./handlers.ts')
    return openHandlers(context)
  }

  return {
    publishedTables: () => readPublishedTables(pool),
    channels: context.topics,
    routes: realtimeRoutes(async () => (await (loading ??= load())).handlers, logger),
    async [Symbol.asyncDispose]() {
      broadcasts[Symbol.dispose]()
      database[Symbol.dispose]()
      // Clients reconnect to this or another server.
      await (await loading)?.hub[Symbol.asyncDispose]()
      await changes.stop()
      shared?.[Symbol.dispose]()
      await partitions[Symbol.asyncDispose]()
      await openedAt[Symbol.asyncDispose]()
    },
  }
}
