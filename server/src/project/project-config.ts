import { dirname, resolve } from 'node:path'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import { readConfigTables } from '@holdfast/functions'

/** The parts of `config.toml` for migrations and seeds. {@link readProjectBuckets} and functions read others. */
export interface DatabaseConfig {
  readonly migratesAtStart: boolean
  /** Globs relative to {@link folder}, in order; empty if seeds are disabled. */
  readonly seedPatterns: readonly string[]
  /** The folder of `config.toml`. */
  readonly folder: string
}

const DEFAULT_SEEDS = ['./seed.sql']

/**
 * Reads `[db.migrations]` and `[db.seed]`.
 *
 * @throws {HoldfastError} `project_config_invalid`
 */
export async function readDatabaseConfig(path: string): Promise<DatabaseConfig> {
  const content = await readTables(path)
  const db = tableOf(path, 'db', content['db'])
  const migrations = tableOf(path, 'db.migrations', db['migrations'])
  const seed = tableOf(path, 'db.seed', db['seed'])
  const patterns = seed['sql_paths'] ?? DEFAULT_SEEDS
  if (!Array.isArray(patterns) || !patterns.every((one) => typeof one === 'string'))
    throw invalid(path, 'db.seed.sql_paths is not a list of paths')
  return {
    migratesAtStart: isOn(path, 'db.migrations.enabled', migrations['enabled']),
    seedPatterns: isOn(path, 'db.seed.enabled', seed['enabled']) ? patterns : [],
    folder: dirname(path),
  }
}

/**
 * Reads `[storage.buckets.NAME]` in the form of the option `storageBuckets`. Folders are relative to the file.
 *
 * @throws {HoldfastError} `project_config_invalid`
 */
export async function readProjectBuckets(path: string): Promise<Readonly<Record<string, unknown>>> {
  const storage = tableOf(path, 'storage', (await readTables(path))['storage'])
  const buckets = Object.entries(tableOf(path, 'storage.buckets', storage['buckets'])).map(([name, value]) => {
    const bucket = tableOf(path, `storage.buckets.${name}`, value)
    const { objects_path: objects } = bucket
    return [name, typeof objects === 'string' ? { ...bucket, objects_path: resolve(dirname(path), objects) } : bucket]
  })
  return Object.fromEntries(buckets) as Readonly<Record<string, unknown>>
}

/**
 * Reads the whole file without conversions.
 *
 * @returns an empty object without a file
 * @throws {HoldfastError} `project_config_invalid`
 */
export async function readTables(path: string): Promise<Readonly<Record<string, unknown>>> {
  return readConfigTables(path).catch((error: unknown) => {
    const detail = error instanceof HoldfastError ? error.detail : errorMessage(error)
    throw invalid(path, detail ?? errorMessage(error))
  })
}

function tableOf(path: string, name: string, value: unknown = {}): Readonly<Record<string, unknown>> {
  // Excludes `[[name]]`, an array of tables, and dates, which are objects, too.
  if (Object.prototype.toString.call(value) !== '[object Object]') throw invalid(path, `${name} is not a table`)
  return value as Readonly<Record<string, unknown>>
}

function isOn(path: string, name: string, value: unknown = true): boolean {
  if (typeof value !== 'boolean') throw invalid(path, `${name} is neither true nor false`)
  return value
}

function invalid(path: string, detail: string): HoldfastError {
  return new HoldfastError('project_config_invalid', 500, `${path} cannot be read.`, {
    detail,
    hint: 'Mend it, or start with --no-project-migrations.',
  })
}
