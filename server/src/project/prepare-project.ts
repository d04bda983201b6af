import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { createPool, withOwnSettings, type Cluster } from '@holdfast/postgres'
import { servesThisMachineOnly } from '../config/loopback.ts'
import type { OpenHoldfastOptions } from '../holdfast.ts'
import { migrateProject } from './migrate.ts'
import { listMigrationFiles } from './migration-files.ts'
import { readDatabaseConfig } from './project-config.ts'
import { WHOLE_PROJECT } from './reset-request.ts'
import { seedProject } from './seed.ts'
import { serveQueues } from './serve-queues.ts'

/**
 * Applies the migrations of the project in the current folder. Also applies its seeds if the database is the packaged one and the server is reachable only from
 * this machine, because seeds often create accounts with known passwords. Does nothing without a migrations folder.
 *
 * @param options.preparation - what to apply after a reset; default: everything
 * @returns the seeds that changed after they were applied
 * @throws {HoldfastError} `project_config_invalid`, `migration_version_taken`, and errors of {@link migrateProject} and {@link seedProject}
 */
export async function prepareProject(
  cluster: Pick<Cluster, 'adminUrl' | 'serverVersion'>,
  {
    config,
    logger,
    progress,
    preparation: { seeds, upTo } = WHOLE_PROJECT,
  }: Pick<OpenHoldfastOptions, 'config' | 'logger' | 'progress' | 'preparation'>,
): Promise<readonly string[]> {
  if (!config.projectMigrations || !existsSync(config.migrationsDir)) return []
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
      files: upTo === undefined ? files : files.filter(({ version }) => version <= upTo),
      includesOlder: false,
      onMissing: (versions) =>
        logger.log('warn', 'migrations are applied that have no file here', { versions: versions.join(', ') }),
      onFile: ({ path }) => progress(`applying ${relative(process.cwd(), path)}`),
    })
  }
  if (await serveQueues(pool, config.restSchemas)) progress('made pgmq_public, through which the API serves queues')
  if (!seeds || config.databaseUrl !== undefined || !servesThisMachineOnly(config)) return []
  const { applied, changed } = await seedProject(pool, database)
  for (const name of applied) progress(`applied the seed ${name}`)
  for (const name of changed)
    logger.log('warn', 'a seed changed after it was applied, and is not applied again', { name })
  return changed
}

/** @throws {HoldfastError} `migration_missing` if no file has the requested version */
export function requireVersion({
  version,
  migrationsDir,
}: {
  readonly version: string | undefined
  readonly migrationsDir: string
}): void {
  if (version === undefined || listMigrationFiles(migrationsDir).files.some((file) => file.version === version)) return
  throw new HoldfastError('migration_missing', 500, `No migration in ${migrationsDir} has the version ${version}.`, {
    hint: 'The version is the digits before the first "_" of its name.',
  })
}
