import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@holdfast/foundation'
import { clusterNameOf } from './cluster-name.ts'
import { databaseMissing } from './errors.ts'
import { acquireLock } from './lock-file.ts'
import { recoverFromCrash } from './recover.ts'

/** Folder, within the data folder, for what was last set aside. */
export const BEFORE_RESET = 'before-reset'

/**
 * Moves the database and related entries aside, deleting what was set aside before. The next start creates a new database with the same passwords and keys.
 *
 * @param others - related entries of the data folder; may not exist
 * @returns the new location
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
    // The database last: after an interruption its files are in either place.
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
