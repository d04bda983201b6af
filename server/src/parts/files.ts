import { join } from 'node:path'
import type { Pool, PoolShare } from '@holdfast/postgres'
import { openStorage, storageOptions, usesS3, type StorageOptions, type StorageService } from '@holdfast/storage'
import { callerReader } from '../gateway/authenticate.ts'
import type { Config } from '../config/options.ts'
import { readProjectBuckets } from '../project/project-config.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Opens file storage. @returns `undefined` if it is disabled */
export async function openFiles(
  { config, logger, clock, opened, openPool }: PartContext,
  given: {
    readonly share: PoolShare
    /** Connected as Holdfast's own user. */
    readonly pool: Pool
    readonly readerUrl: string
    readonly jwtSecret: string
    readonly accounts: Accounts
  },
): Promise<StorageService | undefined> {
  if (!config.storageEnabled) return undefined
  const { auth, sessions } = given.accounts
  const options = await storageOptionsOf(config)
  return opened.use(
    await openStorage({
      share: given.share,
      pool: given.pool,
      readerPool: openPool({ url: given.readerUrl, applicationName: 'holdfast storage', connectionsMax: 1 }),
      folder: join(config.dataDir, 'storage'),
      jwtSecret: given.jwtSecret,
      options,
      sharesUploads: config.databaseUrl !== undefined && usesS3(options),
      apiKeys: [auth.apiKeys.anon, auth.apiKeys.publishable],
      verifyCaller: callerReader(auth.verifyToken, (claims) => sessions.require(claims)),
      logger,
      clock,
    }),
  )
}

/** Returns the storage options, adding the buckets of the project folder. Options override its settings of the same bucket. */
async function storageOptionsOf(config: Config): Promise<StorageOptions> {
  const options = optionsOf(config, storageOptions)
  if (!config.projectMigrations) return options
  const ofProject = await readProjectBuckets(config.functionsConfig)
  return { ...options, storageBuckets: { ...ofProject, ...options.storageBuckets } }
}
