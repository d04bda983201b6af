import type { CommonPowerSyncDatabase } from '@powersync/common'
import { emptySearchIndex } from '../search/search-tables.ts'

export type ClearedDatabase = Pick<CommonPowerSyncDatabase, 'disconnectAndClear' | 'execute' | 'writeTransaction'>

/**
 * Removes everything from an open database, including free pages and the log. Needed where the file cannot be deleted: SQLite keeps the bytes of deleted rows
 * until it needs the space.
 */
export async function clearDatabase(database: ClearedDatabase): Promise<void> {
  await emptySearchIndex(database)
  await database.disconnectAndClear()
  await database.execute('vacuum')
  await database.execute('pragma wal_checkpoint(truncate)')
}
