import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@holdfast/foundation'
import { clusterNameOf } from './cluster-name.ts'
import { databaseMissing } from './errors.ts'
import { acquireLock } from './lock-file.ts'
import { recoverFromCrash } from './recover.ts'

/** The folder, in a data folder, of what was set aside last. */
export const BEFORE_RESET = 'before-reset'

/**
 * Moves the database of a data folder aside, and what else is named: the next start makes a new one, with the same passwords and keys. What was set aside
 * before is deleted.
 *
 * @param others - entries of the data folder that belong to the database; they need not exist
 * @returns where it is now
 * @throws {HoldfastError} `database_missing`, `data_folder_in_use`
 */
export async function setClusterAside(dataDir: string, others: readonly string[], logger: Logger): Promise<string> {
  if (!existsSync(join(dataDir, DATABASE))) throw databaseMissing(dataDir)
  const folder = realpathSync(dataDir)
  const release = acquireLock(folder)
  try {
    await recoverFromCrash(join(folder, DATABASE), clusterNameOf(folder), logger)
    const aside = join(folder, BEFORE_RESET)
    rmSync(aside, { recursive: true, force: true })
    mkdirSync(aside, { mode: 0o700 })
    // The database last: interrupted in between, its files are found where they were, or here.
    for (const name of [...others, DATABASE]) {
      const path = join(folder, name)
      if (existsSync(path)) renameSync(path, join(aside, name))
    }
    return aside
  } finally {
    release()
  }
}

const DATABASE = 'postgres'
