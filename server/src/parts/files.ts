import { join } from 'node:path'
import type { PoolShare } from '@holdfast/postgres'
import { openStorage, storageOptions, type StorageService } from '@holdfast/storage'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Opens file storage. @returns `undefined` if the configuration turns it off */
export async function openFiles(
  { config, logger, clock, opened }: PartContext,
  given: { readonly share: PoolShare; readonly jwtSecret: string },
): Promise<StorageService | undefined> {
  if (!config.storageEnabled) return undefined
  return opened.use(
    await openStorage({
      share: given.share,
      folder: join(config.dataDir, 'storage'),
      jwtSecret: given.jwtSecret,
      options: optionsOf(config, storageOptions),
      logger,
      clock,
    }),
  )
}
