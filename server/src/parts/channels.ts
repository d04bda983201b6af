import type { Pool, PoolShare } from '@holdfast/postgres'
import type { ChangeTap } from '@holdfast/replication'
import { openRealtime, realtimeOptions, type RealtimeService } from '@holdfast/realtime'
import { areFollowed, hasOwnFullIdentity } from '@holdfast/sync'
import type { RoleUrls } from '../open-roles.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Connections that render changes and evaluate filters. */
const EVALUATOR_CONNECTIONS_MAX = 2

/** Connections that read which users changed rows refer to. */
const READER_CONNECTIONS_MAX = 2

/** Opens channels. @returns `undefined` if they are disabled */
export function openChannels(
  { config, logger, clock, opened, openPool }: PartContext,
  given: {
    readonly accounts: Accounts
    readonly share: PoolShare
    readonly pool: Pool
    readonly tap: ChangeTap
    readonly roles: Pick<RoleUrls, 'evaluatorUrl' | 'readerUrl'>
    readonly isStandby: () => boolean
    /** Whether table changes are not read until an operator has fixed a problem. */
    readonly isRefused: () => boolean
  },
): RealtimeService | undefined {
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
  return opened.use(
    openRealtime({
      share,
      pool,
      readerPool,
      evaluatorPool,
      hasFullIdentity: (oid) => hasOwnFullIdentity(pool, oid),
      areFollowed: async (tables) => !given.isRefused() && (await areFollowed(pool, tables)),
      tap,
      isStandby: given.isStandby,
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
