import type { CommonPowerSyncDatabase } from '@powersync/common'
import { emptySearchIndex } from '../search/search-tables.ts'
import { CheckUnavailable } from './device-check.ts'

/**
 * Removes the synced rows from a disconnected database; the next connection fetches them again. Local-only data (rejected changes, recents) stays.
 *
 * @throws {CheckUnavailable} if the outbox has changes, which would be lost. Nothing was removed
 */
export async function removeSyncedRows(database: CommonPowerSyncDatabase): Promise<void> {
  await emptySearchIndex(database)
  await database.writeTransaction(async (tx) => {
    // In the same transaction as the check of the outbox, so that no change intervenes. As the SDK's `disconnectAndClear`, but keeping local tables.
    const { unsent } = await tx.get<{ unsent: number }>('select count(*) as unsent from ps_crud')
    if (unsent > 0) throw new CheckUnavailable('unsent', `${unsent} changes have not been sent.`)
    await tx.execute('select powersync_clear(0)')
  })
}
