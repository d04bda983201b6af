import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { POSTGRES_MAJOR } from '@holdfast/postgres'
import { extract } from 'tar'
import { BACKUP_FILES, copyDataFiles, type BackupMetadata } from './backup-folder.ts'
import { backupInvalid, restoreTargetTaken, restoreVersionMismatch } from './errors.ts'
import { verifyManifest } from './verify-manifest.ts'

export interface RestoreEmbeddedOptions {
  /** The backup's folder. */
  readonly backup: string
  readonly metadata: BackupMetadata
  /** The data folder to make; it does not exist, or is empty. */
  readonly dataDir: string
}

/**
 * Makes a data folder of a backup. It appears whole under its name or not at all. The next start replays the write-ahead log of the backup, finds no
 * replication slot, and so builds the operation log again: devices notice by the names of its buckets and download the current rows.
 *
 * @throws {HoldfastError} `restore_target_taken`, `restore_version_mismatch`, `backup_invalid`
 */
export async function restoreEmbedded({ backup, metadata, dataDir }: RestoreEmbeddedOptions): Promise<void> {
  if (metadata.postgresMajor !== POSTGRES_MAJOR) throw restoreVersionMismatch(metadata.postgresMajor, POSTGRES_MAJOR)
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) throw restoreTargetTaken(dataDir)
  const unfinished = `${dataDir}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(dirname(unfinished), { recursive: true })
  // Root hands the database to another user, who has to pass through; secrets stay readable by root only.
  mkdirSync(unfinished, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  try {
    copyDataFiles(join(backup, BACKUP_FILES.data), unfinished)
    const databaseDir = join(unfinished, 'postgres')
    mkdirSync(databaseDir, { mode: 0o700 })
    await unpack(backup, databaseDir)
    await verifyManifest(backup, join(backup, BACKUP_FILES.manifest), databaseDir)
    if (existsSync(dataDir)) rmdirSync(dataDir)
    renameSync(unfinished, dataDir)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

async function unpack(backup: string, databaseDir: string): Promise<void> {
  try {
    await extract({
      file: join(backup, BACKUP_FILES.archive),
      cwd: databaseDir,
      strict: true,
      preserveOwner: false,
      noChmod: false,
    })
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    throw backupInvalid(backup, `${BACKUP_FILES.archive} cannot be unpacked: ${(error as Error).message}`, error)
  }
}
