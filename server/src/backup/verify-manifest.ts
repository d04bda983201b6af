import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { backupInvalid } from './errors.ts'

interface ManifestFile {
  readonly Path?: string
  /** Hexadecimal, instead of `Path`, if that is not UTF-8. */
  readonly 'Encoded-Path'?: string
  readonly Size: number
  readonly 'Checksum-Algorithm'?: string
  readonly Checksum?: string
}

/**
 * Verifies a restored cluster's files against Postgres's manifest: existence, size and SHA-256. WAL in `pg_wal` is not in the manifest; Postgres checks it
 * during replay.
 *
 * @param backup - folder name for messages
 * @throws {HoldfastError} `backup_invalid` for the first mismatch
 * @see PostgreSQL manual, "Backup Manifest Format"
 */
export async function verifyManifest(backup: string, manifestFile: string, databaseDir: string): Promise<void> {
  const text = readFileSync(manifestFile)
  const manifest = JSON.parse(text.toString()) as {
    readonly Files: readonly ManifestFile[]
    readonly 'Manifest-Checksum': string
  }
  // The checksum covers everything before its own line.
  const covered = text.subarray(0, text.lastIndexOf('"Manifest-Checksum"'))
  if (createHash('sha256').update(covered).digest('hex') !== manifest['Manifest-Checksum'])
    throw backupInvalid(backup, 'Its manifest is damaged.')
  for (const file of manifest.Files) {
    const name = file.Path ?? Buffer.from(file['Encoded-Path'] ?? '', 'hex').toString('latin1')
    const path = join(databaseDir, name)
    if (statSync(path, { throwIfNoEntry: false })?.size !== file.Size)
      throw backupInvalid(backup, `The file ${name} is missing or has another size.`)
    if (file['Checksum-Algorithm'] === 'SHA256' && (await sha256(path)) !== file.Checksum)
      throw backupInvalid(backup, `The file ${name} is damaged.`)
  }
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
