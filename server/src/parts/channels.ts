import { openRealtime, realtimeOptions, type RealtimeService } from '@holdfast/realtime'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Opens channels. @returns `undefined` if the configuration turns them off */
export function openChannels(
  { config, logger, clock, opened }: PartContext,
  { auth, sessions }: Accounts,
): RealtimeService | undefined {
  if (!config.realtimeEnabled) return undefined
  return opened.use(
    openRealtime({
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
