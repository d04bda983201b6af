import { existsSync, readFileSync, rmSync, mkdirSync, renameSync, writeFileSync, cpSync, readdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { backupInvalid, backupTargetTaken } from './errors.ts'
import { copyStoredFiles, STORED_FILES } from './stored-files.ts'

/** Contents and origin of a backup: `holdfast-backup.json` in its folder. */
export interface BackupMetadata {
  /** Format version; a release reads all up to its own. */
  readonly format: 1
  /** `embedded`: cluster files as from `pg_basebackup --format=tar --gzip`. `external`: dumps from `pg_dump` and `pg_dumpall`. */
  readonly kind: 'embedded' | 'external'
  /** Release that created it. */
  readonly holdfast: string
  readonly postgresMajor: number
  /** ISO 8601. */
  readonly takenAt: string
}

/** Names inside a backup folder. */
export const BACKUP_FILES = {
  metadata: 'holdfast-backup.json',
  archive: 'base.tar.gz',
  manifest: 'backup_manifest',
  database: 'database.dump',
  roles: 'roles.sql',
  /** Other content of the data folder: secrets, keys, stored files. */
  data: 'data',
} as const

/** Folder of the console's backups, in the data folder. */
export const BACKUPS = 'backups'

const FORMAT = 1

/** Data folder entries excluded from a backup: other backups, the database (backed up by Postgres), databases set aside, logs, and files recreated at startup. */
const NOT_COPIED =
  /^(?:backups|before-reset|extensions|logs|postgres|postgres\.conf|postgres\.new|postgres\.password|reset\.json|running\.json|lock(?:\..*)?|.*\.new)$/

/**
 * Writes a backup folder: `fill` gets an empty folder, which is renamed when complete.
 *
 * @throws {HoldfastError} `backup_target_taken` if the target exists; errors of `fill`
 */
export async function writeBackupFolder(
  target: string,
  metadata: BackupMetadata,
  fill: (folder: string) => Promise<void>,
): Promise<void> {
  if (existsSync(target)) throw backupTargetTaken(target)
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(dirname(unfinished), { recursive: true })
  mkdirSync(unfinished, { mode: 0o700 })
  try {
    await fill(unfinished)
    writeFileSync(join(unfinished, BACKUP_FILES.metadata), `${JSON.stringify(metadata, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
    })
    renameSync(unfinished, target)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

/** @throws {HoldfastError} `backup_invalid` if the folder is not a backup, or from a newer release */
export function readBackupMetadata(folder: string): BackupMetadata {
  let value: Partial<BackupMetadata>
  try {
    value = JSON.parse(readFileSync(join(folder, BACKUP_FILES.metadata), 'utf8')) as Partial<BackupMetadata>
  } catch (error) {
    if (/\.sql$/i.test(folder)) throw backupInvalid(folder, 'It is SQL: a migration, a seed, or for psql.', error)
    throw backupInvalid(folder, `${BACKUP_FILES.metadata} is missing or damaged.`, error)
  }
  if (value.format !== FORMAT || (value.kind !== 'embedded' && value.kind !== 'external'))
    throw backupInvalid(folder, `Release ${String(value.holdfast)} wrote it in a form that this release does not know.`)
  return value as BackupMetadata
}

/** Copies the data folder's other content. Excludes backups stored there, often on a container's only volume. */
export function copyDataFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  if (!existsSync(from)) return
  const [around] = relative(from, to).split(sep)
  for (const name of readdirSync(from)) {
    if (name === STORED_FILES) copyStoredFiles(join(from, name), join(to, name))
    else if (name !== around && !NOT_COPIED.test(name))
      cpSync(join(from, name), join(to, name), {
        recursive: true,
        errorOnExist: true,
        force: false,
        filter: (source) => !isBackup(source),
      })
  }
}

const isBackup = (folder: string): boolean => existsSync(join(folder, BACKUP_FILES.metadata))
