import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { readBaseBackup, type BaseBackupPart } from '@holdfast/replication'
import { BACKUP_FILES } from './backup-folder.ts'
import { backupFailed, tablespacesUnsupported } from './errors.ts'

/** Gzip level: compression dominates a backup's duration, and higher levels save little. */
const GZIP_LEVEL = 3

export interface EmbeddedBackupOptions {
  /** Connects as a role with `REPLICATION`. */
  readonly url: string
  readonly label: string
  /** Target folder. */
  readonly folder: string
}

/**
 * Writes `base.tar.gz` and `backup_manifest` of a running cluster, like `pg_basebackup --format=tar --gzip`.
 *
 * @throws {HoldfastError} `backup_failed`, `backup_tablespaces_unsupported`, errors of `readBaseBackup`
 */
export async function writeEmbeddedBackup({ url, label, folder }: EmbeddedBackupOptions): Promise<void> {
  const parts = readBaseBackup({ url, label })
  try {
    await pipeline(
      Readable.from(archiveBytes(parts), { objectMode: false }),
      createGzip({ level: GZIP_LEVEL }),
      createWriteStream(join(folder, BACKUP_FILES.archive), { mode: 0o600, flush: true }),
    )
    // The first iteration ended at the announcement of the manifest.
    await pipeline(
      Readable.from(manifestBytes(parts), { objectMode: false }),
      createWriteStream(join(folder, BACKUP_FILES.manifest), { mode: 0o600, flush: true }),
    )
  } finally {
    await parts.return()
  }
}

/** Reads up to the manifest and leaves the rest to the next reader. */
async function* archiveBytes(parts: AsyncGenerator<BaseBackupPart, void, void>): AsyncGenerator<Buffer, void, void> {
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    const part = next.value
    if (part.kind === 'manifest') return
    if (part.kind === 'data') yield part.bytes
    else if (part.name !== 'base.tar') throw tablespacesUnsupported()
  }
  throw backupFailed(new Error('Postgres ended the backup without its manifest.'))
}

async function* manifestBytes(parts: AsyncGenerator<BaseBackupPart, void, void>): AsyncGenerator<Buffer, void, void> {
  for (let next = await parts.next(); next.done !== true; next = await parts.next())
    if (next.value.kind === 'data') yield next.value.bytes
}
