import type { Pool, PoolShare } from '@holdfast/postgres'
import type { ChangeTap } from '@holdfast/replication'
import { openBus, openRealtime, realtimeOptions, type RealtimeService } from '@holdfast/realtime'
import { areFollowed, hasOwnFullIdentity } from '@holdfast/sync'
import type { RoleUrls } from '../open-roles.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Connections that render changes and evaluate filters. */
const EVALUATOR_CONNECTIONS_MAX = 2

/** Connections that read which users changed rows refer to. */
const READER_CONNECTIONS_MAX = 2

/** Connections for messages to other servers, besides the one that listens. */
const BUS_CONNECTIONS_MAX = 1

/** Opens channels. @returns `undefined` if they are disabled */
export async function openChannels(
  { config, logger, clock, opened, openPool }: PartContext,
  given: {
    readonly accounts: Accounts
    /** Superuser URL with our own settings. */
    readonly url: string
    readonly share: PoolShare
    readonly pool: Pool
    readonly tap: ChangeTap
    readonly roles: Pick<RoleUrls, 'evaluatorUrl' | 'readerUrl'>
    /** Whether another server reads the changes. */
    readonly isStandby: () => boolean
    readonly isReader: () => boolean
    /** Whether table changes are not read until an operator has fixed a problem. */
    readonly isRefused: () => boolean
  },
): Promise<RealtimeService | undefined> {
  if (!config.realtimeEnabled) return undefined
  const { pool, share, tap } = given
  const { auth, sessions } = given.accounts
  const evaluatorPool = openPool({
    url: given.roles.evaluatorUrl,
    applicationName: 'holdfast channels',
    connectionsMax: EVALUATOR_CONNECTIONS_MAX,
    isReadOnly: true,
    // Search path of requests, so operators resolve as in policies and queries.
    settings: { search_path: 'public,extensions' },
  })
  const readerPool = openPool({
    url: given.roles.readerUrl,
    applicationName: 'holdfast channels',
    connectionsMax: READER_CONNECTIONS_MAX,
    isReadOnly: true,
  })
  // The packaged Postgres has one server.
  const shared =
    config.databaseUrl === undefined
      ? undefined
      : {
          url: given.url,
          natsUrl: config.natsUrl,
          pool: openPool({ url: given.url, applicationName: 'holdfast bus', connectionsMax: BUS_CONNECTIONS_MAX }),
        }
  const bus = opened.use(await openBus({ shared, logger }))
  return opened.use(
    openRealtime({
      bus,
      share,
      pool,
      readerPool,
      evaluatorPool,
      hasFullIdentity: (oid) => hasOwnFullIdentity(pool, oid),
      areFollowed: async (tables) => !given.isRefused() && (await areFollowed(pool, tables)),
      tap,
      isStandby: given.isStandby,
      isReader: given.isReader,
      isUnfollowed: given.isRefused,
      tokens: {
        verifyToken: auth.verifyToken,
        requireSession: (claims) => sessions.require(claims),
        watchSession: (claims, onEnded) => sessions.watch(claims, onEnded),
      },
      options: optionsOf(config, realtimeOptions),
      logger,
      clock,
    }),
  )
}
