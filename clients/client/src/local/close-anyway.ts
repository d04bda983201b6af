import type { CommonPowerSyncDatabase } from '@powersync/common'

/**
 * Closes a database and in any case its file. The SDK's own `close` does neither where `init` failed, and leaves the file open where the line to its shared worker
 * is gone.
 *
 * @throws what the SDK's `close` threw, once the file is closed
 */
export async function closeAnyway(
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
