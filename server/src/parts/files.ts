import { join } from 'node:path'
import type { Pool, PoolShare } from '@holdfast/postgres'
import { openStorage, storageOptions, type StorageService } from '@holdfast/storage'
import { callerReader } from '../gateway/authenticate.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Opens file storage. @returns `undefined` if the configuration turns it off */
export async function openFiles(
  { config, logger, clock, opened, openPool }: PartContext,
  given: {
    readonly share: PoolShare
    /** As the user that Holdfast itself is. */
    readonly pool: Pool
    readonly readerUrl: string
    readonly jwtSecret: string
    readonly accounts: Accounts
  },
): Promise<StorageService | undefined> {
  if (!config.storageEnabled) return undefined
  const { auth, sessions } = given.accounts
  return opened.use(
    await openStorage({
      share: given.share,
      pool: given.pool,
      readerPool: openPool({ url: given.readerUrl, applicationName: 'holdfast storage', connectionsMax: 1 }),
      folder: join(config.dataDir, 'storage'),
      jwtSecret: given.jwtSecret,
      options: optionsOf(config, storageOptions),
      apiKeys: [auth.apiKeys.anon, auth.apiKeys.publishable],
      verifyCaller: callerReader(auth.verifyToken, (claims) => sessions.require(claims)),
      logger,
      clock,
    }),
  )
}
