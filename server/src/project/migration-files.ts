import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'

/** A migration file of the project. */
export interface MigrationFile {
  /** The digits before the first `_`. Migrations are ordered by this text. */
  readonly version: string
  readonly name: string
  readonly path: string
}

export interface MigrationFolder {
  /** In version order. */
  readonly files: readonly MigrationFile[]
  /** Names of other `.sql` files, which are not applied. */
  readonly skipped: readonly string[]
}

/** @see Supabase CLI, `pkg/migration/file.go` */
const FILE_NAME = /^(\d+)_(.*)\.sql$/

/**
 * Lists the migrations of a folder, which may not exist.
 *
 * @throws {HoldfastError} `migration_version_taken` if two files have the same version
 */
export function listMigrationFiles(folder: string): MigrationFolder {
  const files: MigrationFile[] = []
  const skipped: string[] = []
  for (const fileName of namesIn(folder)) {
    const [, version, name] = FILE_NAME.exec(fileName) ?? []
    if (version !== undefined && name !== undefined) files.push({ version, name, path: join(folder, fileName) })
    else if (fileName.endsWith('.sql')) skipped.push(fileName)
  }
  const ordered = files.toSorted((one, other) => (one.version < other.version ? -1 : 1))
  for (const [index, { version, path }] of ordered.entries()) {
    const next = ordered[index + 1]
    if (next?.version === version) throw versionTaken(path, next.path)
  }
  return { files: ordered, skipped }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function versionTaken(one: string, other: string): HoldfastError {
  return new HoldfastError('migration_version_taken', 500, `${one} and ${other} have the same version.`, {
    hint: 'Give one of them another number before its first "_".',
  })
}
