import { join } from 'node:path'
import type { Logger } from '@holdfast/foundation'
import type { Backend } from './backend/backend.ts'
import { openDiskBackend } from './backend/disk-backend.ts'
import { s3SettingsOf, type StorageOptions } from './options.ts'

/**
 * Opens the store of bytes that the settings choose. The SDK of S3 is loaded only where it is used: it is larger than all of storage.
 *
 * @param folder - of this machine, for the files and for uploads under way
 * @throws {HoldfastError} `option_invalid`
 */
export async function openBackend(options: StorageOptions, folder: string, logger: Logger): Promise<Backend> {
  const settings = s3SettingsOf(options)
  if (!settings) return openDiskBackend(folder)
  const { openS3Backend } = await import('./backend/s3-backend.ts')
  return openS3Backend({ settings, folder: join(folder, 'unfinished'), logger })
}
