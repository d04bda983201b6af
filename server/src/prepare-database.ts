import type { Phases } from '@holdfast/foundation'
import { applyMigrations, type Cluster, type Pool } from '@holdfast/postgres'
import type { OpenHoldfastOptions } from './holdfast.ts'
import { MIGRATIONS } from './migrations.ts'
import { openRoles, type RoleUrls } from './open-roles.ts'
import { prepareSample, type PreparedSample } from './prepare-sample.ts'
import { prepareProject } from './project/prepare-project.ts'

/**
 * Brings a database to what the services need: their migrations, logins of the roles, the sample if it is asked for, and the migrations and seeds of the project.
 *
 * @param ground.pool - of the superuser, with our own settings
 * @throws The signal's reason, and those of each step
 */
export async function prepareDatabase(
  { cluster, pool, phases }: { readonly cluster: Cluster; readonly pool: Pool; readonly phases: Phases },
  options: OpenHoldfastOptions,
): Promise<{ readonly roles: RoleUrls; readonly sample: PreparedSample }> {
  const { logger, progress, signal } = options
  const applied = await applyMigrations({ pool, sources: MIGRATIONS, logger })
  if (applied.length > 0) progress(`applied ${applied.length} migrations`)
  phases.end('migrations')
  const roles = await openRoles(pool, cluster, logger)
  phases.end('roles')
  signal.throwIfAborted()
  const sample = await prepareSample({ cluster, pool }, options)
  await prepareProject(cluster, options).catch((error: unknown) => {
    if (!options.onProjectProblem) throw error
    options.onProjectProblem(error)
  })
  signal.throwIfAborted()
  phases.end('sample')
  return { roles, sample }
}
