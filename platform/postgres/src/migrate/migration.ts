import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { HoldfastError } from '@holdfast/foundation'

/** A folder of migrations and the name they are recorded under. */
export interface MigrationSource {
  /** Short and stable: `platform`, `auth`. */
  readonly name: string
  /** Holds `NNNN_words.sql`. A `file:` address with a slash at the end. */
  readonly directory: URL
  /**
   * A table or function, `schema.name`, that only these migrations make and that they never drop: when it is gone with everything else in its schema, a person has
   * dropped the schema, and they are applied again. Without one they never are.
   */
  readonly witness?: string
  /** Schemas that these migrations make besides the one of the witness. Remains of them are dropped before they are applied again. */
  readonly otherSchemas?: readonly string[]
  /** What one migration makes whole by itself. It may be applied again at any time, and is when one of the functions is gone. */
  readonly parts?: readonly MigrationPart[]
  /** Those that may be applied again at any time, `source/name`: they grant rights on schemas that others make again. */
  readonly repeatable?: readonly string[]
}

/** Functions that a migration makes again when they, or their schema, were dropped. */
export interface MigrationPart {
  /** File name without `.sql`. */
  readonly migration: string
  /** All that it makes, as `schema.name(type)`. */
  readonly functions: readonly string[]
}

/** One file of SQL, applied once. */
export interface Migration {
  readonly source: string
  /** File name without `.sql`. */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file with line ends as `\n`, in hexadecimal. */
  readonly checksum: string
}

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/

/**
 * Reads the migrations of a source in their order.
 *
 * @throws {HoldfastError} `migration_name_invalid`, also for two files of one number
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
