import { hashPassword } from '@holdfast/auth'
import { createPool, sql, type Cluster, type Pool } from '@holdfast/postgres'
import { seedSample } from '@holdfast/sample'
import { requireLoopbackForSample } from './config/loopback.ts'
import type { OpenHoldfastOptions } from './holdfast.ts'

export interface PreparedSample {
  /** Whether the database contains the sample. */
  readonly hasSample: boolean
  /** Whether this start created it. */
  readonly seeded: boolean
}

/**
 * Creates the sample if the configuration asks for it.
 *
 * @throws {HoldfastError} `sample_not_on_loopback` if the database contains the sample and other machines can reach the server
 */
export async function prepareSample(
  { cluster, pool }: { readonly cluster: Cluster; readonly pool: Pool },
  options: OpenHoldfastOptions,
): Promise<PreparedSample> {
  const { config, progress } = options
  if (config.sample) progress('preparing the sample')
  const { seeded } = config.sample ? await seedAsProject(cluster, options) : { seeded: false }
  const hasSample = (await pool.query(sql`select from holdfast.settings where key = 'sample'`)).length > 0
  requireLoopbackForSample(config, hasSample)
  return { hasSample, seeded }
}

/** The sample is a project like any other. */
async function seedAsProject(
  cluster: Cluster,
  { logger, clock }: OpenHoldfastOptions,
): Promise<{ readonly seeded: boolean }> {
  await using pool = createPool({ url: cluster.adminUrl, applicationName: 'holdfast sample', connectionsMax: 2 })
  return await seedSample({ pool, logger, clock, hashPassword })
}
