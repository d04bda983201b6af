import { emptySearchIndex, type LocalDatabase } from '@holdfast/client'

/**
 * Removes the rows from this device and fetches them again. What never leaves the device (refused changes, recents) stays.
 *
 * @throws {Error} when changes wait in the outbox: they would be lost
 */
export async function resync(local: LocalDatabase): Promise<void> {
  const { waiting } = await local.countUnsent()
  if (waiting > 0) throw new Error(`${waiting} changes have not been sent.`)
  await local.disconnect()
  await emptySearchIndex(local.database)
  await local.database.disconnectAndClear({ clearLocal: false })
  local.connect()
}
