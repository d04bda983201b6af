import { quoteName } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { localTables } from '../schema/local-tables.ts'
import { closeDatabase } from './close-database.ts'
import { isDamage } from './damage.ts'
import { fileNameOf, takeNextFile, type DamageReport } from './local-file.ts'
import type { OpenFileOptions } from './file-options.ts'
import { readReplacement, readSalvage, writeSalvage, type Salvage } from './salvage.ts'

/**
 * Opens a new file in place of a damaged one, with all readable unsent data; the server provides the rest. Removes the damaged file if nothing is missing,
 * otherwise keeps it until {@link LocalDatabase.dismissDamage}.
 *
 * Completion is recorded in the new file itself: another tab may have just finished it, and its write to `localStorage` may not be visible here yet.
 *
 * @param generation - of the damaged file, which no tab has open
 */
export async function replaceDamaged(generation: number, options: OpenFileOptions): Promise<CommonPowerSyncDatabase> {
  const { userId, store, removeDatabase, now, onProblem } = options
  const before = fileNameOf(userId, { generation })
  const next = generation + 1
  const database = await openNext(next, options)
  try {
    const finished = await readReplacement(database, next)
    if (finished) {
      await takeNextFile(store, userId, next, finished)
      return database
    }
    const salvage = await readDamaged(before, options)
    const { isWhole, outbox } = salvage
    const fileName = isWhole ? undefined : before
    const report: DamageReport = { atMs: now(), kept: outbox.length, isWhole, fileName }
    await writeSalvage(database, salvage, { generation: next, report })
    await takeNextFile(store, userId, next, report)
    if (isWhole) await removeDatabase?.(before).catch(onProblem)
    return database
  } catch (error) {
    await closeDatabase(database).catch(onProblem)
    throw error
  }
}

/** Opens a new file, or one that another tab has finished. Removes leftovers of an interrupted attempt. */
async function openNext(
  generation: number,
  { userId, schema, openDatabase, removeDatabase, onProblem }: OpenFileOptions,
): Promise<CommonPowerSyncDatabase> {
  const fileName = fileNameOf(userId, { generation })
  const found = await openDatabase({ schema, fileName })
  if (await isUsable(found, generation)) return found
  await closeDatabase(found).catch(onProblem)
  await removeDatabase?.(fileName)
  const database = await openDatabase({ schema, fileName })
  await database.init()
  return database
}

async function isUsable(database: CommonPowerSyncDatabase, generation: number): Promise<boolean> {
  try {
    await database.init()
    return (await readReplacement(database, generation)) !== undefined || (await isNew(database))
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

/** Whether a file contains no user data. */
async function isNew(database: CommonPowerSyncDatabase): Promise<boolean> {
  const tables = ['ps_crud', ...Object.keys(localTables).map((name) => `ps_data_local__${name}`)]
  const found = tables.map((name) => `exists (select 1 from ${quoteName(name)})`).join(' or ')
  const row = await database.get<{ readonly hasRows: 0 | 1 }>(`select ${found} as hasRows`)
  return row.hasRows === 0
}

async function readDamaged(fileName: string, { schema, openDatabase, onProblem }: OpenFileOptions): Promise<Salvage> {
  const database = await openDatabase({ schema, fileName })
  try {
    await database.init().catch((error: unknown) => {
      if (!isDamage(error)) throw error
    })
    return await readSalvage(database.database)
  } finally {
    await closeDatabase(database).catch(onProblem)
  }
}
