import type { CommonPowerSyncDatabase } from '@powersync/common'
import { emptySearchIndex } from '../search/search-tables.ts'
import { CheckUnavailable } from './device-check.ts'

/**
 * Removes the synced rows from a database that is not connected; the next connection fetches them again. What never leaves the device (refused changes,
 * recents) stays.
 *
 * @throws {CheckUnavailable} when changes wait in the outbox, which would be lost. Nothing was removed then
 */
export async function removeSyncedRows(database: CommonPowerSyncDatabase): Promise<void> {
  await emptySearchIndex(database)
  await database.writeTransaction(async (tx) => {
    // In the same transaction as the end of the outbox, so that no change comes in between. As `disconnectAndClear` of the SDK does it, without local tables.
    const { unsent } = await tx.get<{ unsent: number }>('select count(*) as unsent from ps_crud')
    if (unsent > 0) throw new CheckUnavailable('unsent', `${unsent} changes have not been sent.`)
    await tx.execute('select powersync_clear(0)')
  })
}
