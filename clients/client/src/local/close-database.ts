import type { CommonPowerSyncDatabase } from '@powersync/common'

/**
 * Closes a database and always its file. The SDK's `close` leaves the file open if `init` failed or the shared worker is gone.
 *
 * @throws the error of the SDK's `close`, after closing the file
 */
export async function closeDatabase(
  database: Pick<CommonPowerSyncDatabase, 'ready' | 'close' | 'database'>,
): Promise<void> {
  if (!database.ready) return database.database.close()
  try {
    await database.close()
  } catch (error) {
    await database.database.close()
    throw error
  }
}
