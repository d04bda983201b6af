import type { CommonPowerSyncDatabase } from '@powersync/common'
import { fileNameOf, takeNextFile, type DamageReport } from './local-file.ts'
import type { OpenFileOptions } from './file-options.ts'
import { readSalvage, writeSalvage } from './salvage.ts'

/**
 * Opens a new file in place of a damaged one, with everything that is nowhere else and could be read. The server sends the rest. The damaged file is removed when
 * nothing of that is missing, else it stays until {@link LocalDatabase.dismissDamage}.
 *
 * @param damaged - open, though its `init` may have failed
 */
export async function replaceDamaged(
  damaged: CommonPowerSyncDatabase,
  generation: number,
  options: OpenFileOptions,
): Promise<CommonPowerSyncDatabase> {
  const { userId, store, schema, openDatabase, removeDatabase, now, onProblem } = options
  const salvage = await readSalvage(damaged.database)
  await closeAnyway(damaged).catch(onProblem)
  const fileName = fileNameOf(userId, { generation: generation + 1 })
  // One may be there from an attempt that did not come to its end.
  await removeDatabase?.(fileName)
  const database = await openDatabase({ schema, fileName })
  await database.init()
  await writeSalvage(database, salvage)
  const { isWhole, outbox } = salvage
  const before = fileNameOf(userId, { generation })
  const report: DamageReport = {
    atMs: now(),
    kept: outbox.length,
    isWhole,
    fileName: isWhole ? undefined : before,
  }
  await takeNextFile(store, userId, generation + 1, report)
  if (isWhole) await removeDatabase?.(before).catch(onProblem)
  return database
}

/** The SDK's own `close` fails as `init` did. */
export async function closeAnyway(database: CommonPowerSyncDatabase): Promise<void> {
  await (database.ready ? database.close() : database.database.close())
}
