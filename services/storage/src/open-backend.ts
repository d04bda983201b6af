import { join } from 'node:path'
import type { Logger } from '@holdfast/foundation'
import type { Backend } from './backend/backend.ts'
import { openDiskBackend } from './backend/disk-backend.ts'
import { s3SettingsOf, type StorageOptions } from './options.ts'

/** Whether files are in a store that other servers can use. */
export function usesS3(options: StorageOptions): boolean {
  return s3SettingsOf(options) !== undefined
}

/**
 * Opens the configured backend. Imports the S3 SDK only if needed, because it is larger than all of storage.
 *
 * @param folder - local folder for files and uploads in progress
 * @throws {HoldfastError} `option_invalid`
 */
export async function openBackend(options: StorageOptions, folder: string, logger: Logger): Promise<Backend> {
  const settings = s3SettingsOf(options)
  if (!settings) return openDiskBackend(folder)
  const { openS3Backend } = await import('./backend/s3-backend.ts')
  return openS3Backend({ settings, folder: join(folder, 'unfinished'), logger })
}
