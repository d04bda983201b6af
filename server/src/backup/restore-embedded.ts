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
  /** Data folder to create; nonexistent, or empty except for `.gitignore`. */
  readonly dataDir: string
}

/** Subfolder for restoring into an existing folder, ignored by reset, backup and start. */
const UNFINISHED = 'restore.new'

/** Identifies a data folder, so it is created last. */
const DATABASE = 'postgres'

/**
 * Creates a data folder from a backup, atomically. The next start replays the backup's WAL, finds no replication slot and rebuilds the operation log: devices
 * notice the new bucket names and download current rows.
 *
 * @throws {HoldfastError} `restore_target_taken`, `restore_version_mismatch`, `backup_invalid`; file system errors
 */
export async function restoreEmbedded({ backup, metadata, dataDir }: RestoreEmbeddedOptions): Promise<void> {
  if (metadata.postgresMajor !== POSTGRES_MAJOR) throw restoreVersionMismatch(metadata.postgresMajor, POSTGRES_MAJOR)
  const content = entriesOf(dataDir)
  if (content?.some((name) => name !== UNFINISHED && name !== GITIGNORE)) throw restoreTargetTaken(dataDir)
  // An existing folder may be a volume or link, which cannot be replaced.
  const unfinished = content ? join(dataDir, UNFINISHED) : `${dataDir}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(dirname(unfinished), { recursive: true })
  // Under root, the database's user must be able to pass through; secrets stay readable by root only.
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

/** @returns `undefined` if the folder does not exist */
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
    if (syscall !== undefined && path !== file) throw error // the target's file system may be full
    throw backupInvalid(backup, `${BACKUP_FILES.archive} cannot be unpacked: ${(error as Error).message}`, error)
  }
}
