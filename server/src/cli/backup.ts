import { join, relative, resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { POSTGRES_MAJOR } from '@holdfast/postgres'
import {
  BACKUP_FILES,
  type BackupMetadata,
  copyDataFiles,
  readBackupMetadata,
  writeBackupFolder,
} from '../backup/backup-folder.ts'
import { copyStoredFiles, STORED_FILES } from '../backup/stored-files.ts'
import { writeEmbeddedBackup } from '../backup/embedded-backup.ts'
import { backupFailed, restoreFailed, restoreKindMismatch } from '../backup/errors.ts'
import { readExternalMajor, restoreExternal, writeExternalBackup } from '../backup/external-backup.ts'
import { restoreEmbedded } from '../backup/restore-embedded.ts'
import { backupDeclarations, type BackupConfig } from '../config/options.ts'
import { VERSION } from '../version.ts'
import { readSettings, type CommandInput } from './command.ts'
import { withEmbedded } from './with-database.ts'

/**
 * `holdfast backup <folder>`: backs up the database and the rest of the data folder, whether or not the server is running.
 *
 * @returns the exit code
 * @throws {HoldfastError} `backup_target_taken`, `backup_failed`, `postgres_tools_missing` and others, with a hint
 */
export async function backup(input: CommandInput): Promise<number> {
  const { folder, config } = readInput(input)
  const dataDir = resolve(config.dataDir)
  const metadata = await take(folder, dataDir, config).catch(explain(backupFailed))
  const { storageS3Bucket: bucket } = config
  print(
    input,
    config,
    { backup: folder, ...metadata, ...(bucket && { filesIn: bucket }) },
    `Backed up to ${folder}\n${bucket ? `The files are in the bucket ${bucket}, and not in the backup. Keep its versions or copies as long.\n` : ''}`,
  )
  return 0
}

async function take(folder: string, dataDir: string, config: BackupConfig): Promise<BackupMetadata> {
  const isExternal = config.databaseUrl !== undefined
  const metadata = {
    format: 1,
    kind: isExternal ? 'external' : 'embedded',
    holdfast: VERSION,
    postgresMajor: isExternal ? await readExternalMajor(config.databaseUrl) : POSTGRES_MAJOR,
    takenAt: new Date().toISOString(),
  } as const
  await writeBackupFolder(folder, metadata, async (unfinished) => {
    const copyFiles = (): void => copyDataFiles(dataDir, join(unfinished, BACKUP_FILES.data))
    if (config.databaseUrl === undefined) {
      await withEmbedded(config, async (url) => {
        copyFiles() // opening an older release's folder changes passwords
        await writeEmbeddedBackup({ url, label: `holdfast ${metadata.takenAt}`, folder: unfinished })
      })
    } else {
      copyFiles()
      const toolsFolder = config.postgresTools
      await writeExternalBackup({ url: config.databaseUrl, toolsFolder, folder: unfinished })
    }
    copyStoredFiles(join(dataDir, STORED_FILES), join(unfinished, BACKUP_FILES.data, STORED_FILES))
  })
  return metadata
}

/**
 * `holdfast restore <folder>`: creates a data folder, or fills an empty database (`DATABASE_URL`), from a backup.
 *
 * @returns the exit code
 * @throws {HoldfastError} `restore_target_taken`, `restore_kind_mismatch`, `backup_invalid` and others, with a hint
 */
export async function restore(input: CommandInput): Promise<number> {
  const { folder, config } = readInput(input)
  const dataDir = resolve(config.dataDir)
  const metadata = readBackupMetadata(folder)
  if ((metadata.kind === 'external') !== (config.databaseUrl !== undefined)) throw restoreKindMismatch(metadata.kind)
  const { databaseUrl: url, postgresTools: toolsFolder } = config
  const restoring =
    url === undefined
      ? restoreEmbedded({ backup: folder, metadata, dataDir })
      : restoreExternal({ url, toolsFolder, folder, dataDir })
  await restoring.catch(explain(restoreFailed))
  print(
    input,
    config,
    { restored: folder, dataDir, ...metadata },
    `Restored to ${dataDir}. Start it with ${startCommand(dataDir)}.\n`,
  )
  return 0
}

/** A non-default folder must be named. */
function startCommand(dataDir: string): string {
  const isUsual = dataDir === resolve('.holdfast')
  return isUsual ? '"holdfast start"' : `"holdfast start --data-dir=${relative(process.cwd(), dataDir)}"`
}

/** Wraps errors without their own message: a full disk, a foreign folder, an unresponsive database. */
function explain(failure: (cause: unknown) => HoldfastError): (error: unknown) => never {
  return (error) => {
    throw error instanceof HoldfastError ? error : failure(error)
  }
}

function readInput(input: CommandInput): { readonly folder: string; readonly config: BackupConfig } {
  const [folder = ''] = input.words
  return { folder: resolve(folder), config: readSettings(backupDeclarations, input) }
}

function print(input: CommandInput, config: BackupConfig, value: object, text: string): void {
  input.out(config.json ? `${JSON.stringify(value)}\n` : text)
}
