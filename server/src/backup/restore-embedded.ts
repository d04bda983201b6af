import { mkdirSync, readdirSync, renameSync, rmSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GITIGNORE, POSTGRES_MAJOR } from '@holdfast/postgres'
import { extract } from 'tar'
import { BACKUP_FILES, copyDataFiles, type BackupMetadata } from './backup-folder.ts'
import { backupInvalid, restoreTargetTaken, restoreVersionMismatch } from './errors.ts'
import { verifyManifest } from './verify-manifest.ts'

export interface RestoreEmbeddedOptions {
  /** The backup's folder. */
  readonly backup: string
  readonly metadata: BackupMetadata
  /** The data folder to make; it does not exist, or is empty but for its `.gitignore`. */
  readonly dataDir: string
}

/** Where an empty folder is filled. A reset, a backup and a start take no notice of it. */
const UNFINISHED = 'restore.new'

/** What makes a data folder one, and so comes last. */
const DATABASE = 'postgres'

/**
 * Makes a data folder of a backup. It appears whole under its name, its database at last, or not at all. The next start replays the write-ahead log of the backup, finds no
 * replication slot, and so builds the operation log again: devices notice by the names of its buckets and download the current rows.
 *
 * @throws {HoldfastError} `restore_target_taken`, `restore_version_mismatch`, `backup_invalid`; errors of the file system as they are
 */
export async function restoreEmbedded({ backup, metadata, dataDir }: RestoreEmbeddedOptions): Promise<void> {
  if (metadata.postgresMajor !== POSTGRES_MAJOR) throw restoreVersionMismatch(metadata.postgresMajor, POSTGRES_MAJOR)
  const content = entriesOf(dataDir)
  if (content?.some((name) => name !== UNFINISHED && name !== GITIGNORE)) throw restoreTargetTaken(dataDir)
  // A folder that is there may be a volume of its own or a link to one, which nothing can take the place of.
  const unfinished = content ? join(dataDir, UNFINISHED) : `${dataDir}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(dirname(unfinished), { recursive: true })
  // Root hands the database to another user, who has to pass through; secrets stay readable by root only.
  mkdirSync(unfinished, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  try {
    copyDataFiles(join(backup, BACKUP_FILES.data), unfinished)
    const databaseDir = join(unfinished, DATABASE)
    mkdirSync(databaseDir, { mode: 0o700 })
    await unpack(backup, databaseDir)
    await verifyManifest(backup, join(backup, BACKUP_FILES.manifest), databaseDir)
    if (content) moveContent(unfinished, dataDir)
    else renameSync(unfinished, dataDir)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

/** @returns `undefined` when the folder is not there */
function entriesOf(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function moveContent(from: string, to: string): void {
  const others = readdirSync(from).filter((name) => name !== DATABASE)
  for (const name of [...others, DATABASE]) renameSync(join(from, name), join(to, name))
  rmdirSync(from)
}

async function unpack(backup: string, databaseDir: string): Promise<void> {
  const file = join(backup, BACKUP_FILES.archive)
  try {
    await extract({
      file,
      cwd: databaseDir,
      strict: true,
      preserveOwner: false,
      noChmod: false,
    })
  } catch (error) {
    const { syscall, path } = error as NodeJS.ErrnoException
    if (syscall !== undefined && path !== file) throw error // the target's file system: it may be full
    throw backupInvalid(backup, `${BACKUP_FILES.archive} cannot be unpacked: ${(error as Error).message}`, error)
  }
}
