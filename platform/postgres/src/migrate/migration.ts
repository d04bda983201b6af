import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { HoldfastError } from '@holdfast/foundation'

/** A folder of migrations and their recorded source name. */
export interface MigrationSource {
  /** Short and stable: `platform`, `auth`. */
  readonly name: string
  /** Contains `NNNN_words.sql`. A `file:` URL with trailing slash. */
  readonly directory: URL
  /**
   * A table or function `schema.name` that only these migrations create and never drop: if it and its whole schema are gone, the schema was dropped and the
   * migrations are reapplied. Without a witness they never are.
   */
  readonly witness?: string
  /** Other schemas these migrations create. Remains are dropped before reapplying. */
  readonly otherSchemas?: readonly string[]
  /** Self-contained parts of migrations, reapplied if one of their functions is missing. */
  readonly parts?: readonly MigrationPart[]
  /** Migrations `source/name` that may be reapplied any time, because they grant rights on schemas that others recreate. */
  readonly repeatable?: readonly string[]
}

/** Functions a migration recreates when they or their schema were dropped. */
export interface MigrationPart {
  /** File name without `.sql`. */
  readonly migration: string
  /** Everything it creates, as `schema.name(type)`. */
  readonly functions: readonly string[]
}

/** One SQL file, applied once. */
export interface Migration {
  readonly source: string
  /** File name without `.sql`. */
  readonly name: string
  readonly sql: string
  /**
   * SHA-256 of the file with `
   * ` line ends, in hexadecimal.
   */
  readonly checksum: string
}

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/

/**
 * Reads the migrations of a source in order.
 *
 * @throws {HoldfastError} `migration_name_invalid`, also for duplicate numbers
 */
export function readMigrations(source: MigrationSource): readonly Migration[] {
  const files = readdirSync(source.directory).filter((file) => file.endsWith('.sql'))
  files.sort()
  files.forEach((file, index) => {
    const number = FILE_NAME.exec(file)?.[1]
    const previous = files[index - 1]
    if (number === undefined || previous?.startsWith(`${number}_`)) {
      throw new HoldfastError(
        'migration_name_invalid',
        500,
        `The migration ${source.name}/${file} is not named as it must be.`,
        {
          hint: 'Name it with four digits that no other has, an underscore and words: 0003_add_tags.sql',
        },
      )
    }
  })
  return files.map((file) => {
    const sql = readFileSync(new URL(file, source.directory), 'utf8').replaceAll('\r\n', '\n')
    return {
      source: source.name,
      name: file.slice(0, -'.sql'.length),
      sql,
      checksum: createHash('sha256').update(sql).digest('hex'),
    }
  })
}
