import type { Logger } from '@holdfast/foundation'
import type { StorageOptions } from './options.ts'
import type { Backend } from './backend/backend.ts'
import { openDiskBackend } from './backend/disk-backend.ts'

/**
 * Opens the store of bytes that the settings choose.
 *
 * @param folder - of this machine, for the files and for what is under way
 */
export async function openBackend(_options: StorageOptions, folder: string, _logger: Logger): Promise<Backend> {
  return openDiskBackend(folder)
}
