import type { CommonPowerSyncDatabase } from '@powersync/common'
import { closeAnyway } from './close-anyway.ts'
import { isDamage } from './damage.ts'
import { fileNameOf, takeNextFile, type DamageReport } from './local-file.ts'
import type { OpenFileOptions } from './file-options.ts'
import { readSalvage, writeSalvage, type Salvage } from './salvage.ts'

/**
 * Opens a new file in place of a damaged one, with everything that is nowhere else and could be read. The server sends the rest. The damaged file is removed when
 * nothing of that is missing, else it stays until {@link LocalDatabase.dismissDamage}.
 *
 * @param generation - of the damaged file, which no tab has open
 */
export async function replaceDamaged(generation: number, options: OpenFileOptions): Promise<CommonPowerSyncDatabase> {
  const { userId, store, schema, openDatabase, removeDatabase, now, onProblem } = options
  const before = fileNameOf(userId, { generation })
  const salvage = await readDamaged(before, options)
  const fileName = fileNameOf(userId, { generation: generation + 1 })
  // One may be there from an attempt that did not come to its end.
  await removeDatabase?.(fileName)
  const database = await openDatabase({ schema, fileName })
  await database.init()
  await writeSalvage(database, salvage)
  const { isWhole, outbox } = salvage
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

async function readDamaged(fileName: string, { schema, openDatabase, onProblem }: OpenFileOptions): Promise<Salvage> {
  const database = await openDatabase({ schema, fileName })
  try {
    await database.init().catch((error: unknown) => {
      if (!isDamage(error)) throw error
    })
    return await readSalvage(database.database)
  } finally {
    await closeAnyway(database).catch(onProblem)
  }
}
