import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { createPool, withOwnSettings, type Cluster } from '@holdfast/postgres'
import { servesThisMachineOnly } from '../config/loopback.ts'
import type { OpenHoldfastOptions } from '../holdfast.ts'
import { migrateProject } from './migrate.ts'
import { listMigrationFiles } from './migration-files.ts'
import { readDatabaseConfig } from './project-config.ts'
import { seedProject } from './seed.ts'

/**
 * Applies the migrations of the project in the folder where Holdfast is started, and its seeds when the database is the packaged one and the server is for this
 * machine only: seeds are for development, and often make accounts with known passwords. Does nothing where there is no folder of migrations.
 *
 * @throws {HoldfastError} `project_config_invalid`, `migration_version_taken`, and those of {@link migrateProject} and {@link seedProject}
 */
export async function prepareProject(
  cluster: Cluster,
  { config, logger, progress }: Pick<OpenHoldfastOptions, 'config' | 'logger' | 'progress'>,
): Promise<void> {
  if (!config.projectMigrations || !existsSync(config.migrationsDir)) return
  const database = await readDatabaseConfig(config.functionsConfig)
  const { files, skipped } = listMigrationFiles(config.migrationsDir)
  for (const name of skipped)
    logger.log('warn', 'the name of a migration is not <version>_<name>.sql, so it is not applied', { name })
  await using pool = createPool({
    url: withOwnSettings(cluster.adminUrl, cluster.serverVersion),
    applicationName: 'holdfast project',
    connectionsMax: 1,
  })
  if (database.migratesAtStart) {
    await migrateProject({
      pool,
      files,
      includesOlder: false,
      onMissing: (versions) =>
        logger.log('warn', 'migrations are applied that have no file here', { versions: versions.join(', ') }),
      onFile: ({ path }) => progress(`applying ${relative(process.cwd(), path)}`),
    })
  }
  if (config.databaseUrl !== undefined || !servesThisMachineOnly(config)) return
  const { applied, changed } = await seedProject(pool, database)
  for (const name of applied) progress(`applied the seed ${name}`)
  for (const name of changed)
    logger.log('warn', 'a seed changed after it was applied, and is not applied again', { name })
}
