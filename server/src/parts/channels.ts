import type { Pool, PoolShare } from '@holdfast/postgres'
import { openRealtime, realtimeOptions, type RealtimeService } from '@holdfast/realtime'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Opens channels. @returns `undefined` if the configuration turns them off */
export function openChannels(
  { config, logger, clock, opened }: PartContext,
  { accounts, share, pool }: { readonly accounts: Accounts; readonly share: PoolShare; readonly pool: Pool },
): RealtimeService | undefined {
  if (!config.realtimeEnabled) return undefined
  const { auth, sessions } = accounts
  return opened.use(
    openRealtime({
      share,
      pool,
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
