import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { createPool, withOwnSettings, type Pool } from '@holdfast/postgres'
import type { MigrationConfig } from '../config/options.ts'
import { compareHistory } from '../project/compare-history.ts'
import { readHistory } from '../project/history.ts'
import { migrateProject } from '../project/migrate.ts'
import { listMigrationFiles, type MigrationFile } from '../project/migration-files.ts'
import { withProjectDatabase } from './with-database.ts'

/**
 * Applies pending migrations and reports each.
 *
 * @returns the applied ones
 * @throws {HoldfastError} `migration_missing`, and errors of {@link migrateProject}
 */
export async function applyPending(
  config: MigrationConfig,
  tell: (line: string) => void,
): Promise<readonly MigrationFile[]> {
  const files = filesOf(config, tell)
  return await withProjectPool(config, (pool) =>
    migrateProject({
      pool,
      files,
      includesOlder: config.includeAll,
      onMissing: refuseMissing,
      onFile: ({ path }) => tell(`Applying ${relative(process.cwd(), path)} …\n`),
    }),
  )
}

/** @returns what {@link applyPending} would apply */
export async function listPending(
  config: MigrationConfig,
  tell: (line: string) => void,
): Promise<readonly MigrationFile[]> {
  const files = filesOf(config, tell)
  const { pending, missing } = compareHistory(files, await withProjectPool(config, (pool) => readHistory(pool)))
  if (missing.length > 0) refuseMissing(missing)
  return pending
}

function filesOf(config: MigrationConfig, tell: (line: string) => void): readonly MigrationFile[] {
  if (!existsSync(config.migrationsDir)) {
    throw new HoldfastError('migration_missing', 500, `There is no folder ${config.migrationsDir}.`, {
      hint: 'Run this in the folder of the project, or name the folder with --migrations-dir.',
    })
  }
  const { files, skipped } = listMigrationFiles(config.migrationsDir)
  for (const name of skipped) tell(`Skipped ${name}: its name is not <version>_<name>.sql.\n`)
  return files
}

function refuseMissing(versions: readonly string[]): never {
  throw new HoldfastError('migration_missing', 500, 'Migrations are applied that have no file here.', {
    detail: versions.join('\n'),
    hint: 'Get the files, from another branch perhaps.',
  })
}

/** Opens the project's database as its role with a single connection. */
export async function withProjectPool<T>(config: MigrationConfig, use: (pool: Pool) => Promise<T>): Promise<T> {
  return await withProjectDatabase(config, async (url) => {
    await using pool = createPool({
      url: withOwnSettings(url, 0),
      applicationName: 'holdfast migration',
      connectionsMax: 1,
    })
    return await use(pool)
  })
}
