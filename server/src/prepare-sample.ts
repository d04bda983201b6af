import { hashPassword } from '@holdfast/auth'
import { errorMessage } from '@holdfast/foundation'
import { createPool, sql, type Cluster, type Pool } from '@holdfast/postgres'
import { SAMPLE_SEED, seedSample, storePictures, type SeededSample, type StorageApi } from '@holdfast/sample'
import { requireLoopbackForSample } from './config/loopback.ts'
import type { OpenHoldfastOptions } from './holdfast.ts'

export interface PreparedSample {
  /** Whether the database contains the sample. */
  readonly hasSample: boolean
  /** Whether this start created it. */
  readonly seeded: boolean
  /**
   * Uploads the pictures of the sample's photos that are not there yet; without the sample it does nothing. What fails is tried again by the next start; nothing else
   * depends on it.
   */
  storePictures(inject: StorageApi['request'], serviceKey: string): Promise<void>
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
  const { seeded, pictures } = config.sample ? await seedAsProject(cluster, options) : { seeded: false, pictures: [] }
  const hasSample = (await pool.query(sql`select from holdfast.settings where key = 'sample'`)).length > 0
  requireLoopbackForSample(config, hasSample)
  return {
    hasSample,
    seeded,
    storePictures: async (inject, serviceKey) => {
      if (hasSample) await storeMissing(inject, serviceKey, pool, options, pictures)
    },
  }
}

/** The sample is a project like any other. */
async function seedAsProject(cluster: Cluster, { config, logger, clock }: OpenHoldfastOptions): Promise<SeededSample> {
  await using pool = createPool({ url: cluster.adminUrl, applicationName: 'holdfast sample', connectionsMax: 2 })
  return await seedSample({
    pool,
    logger,
    clock,
    hashPassword,
    hasFiles: config.storageEnabled,
    hasChannels: true,
    hasFunctions: config.functionsEnabled,
  })
}

async function storeMissing(
  inject: StorageApi['request'],
  serviceKey: string,
  pool: Pool,
  { config, logger }: Pick<OpenHoldfastOptions, 'config' | 'logger'>,
  drawn: SeededSample['pictures'],
): Promise<void> {
  if (!config.storageEnabled || !(await hasPictureRows(pool))) return
  try {
    await storePictures({ request: inject }, serviceKey, SAMPLE_SEED, drawn)
  } catch (error) {
    logger.log('warn', 'the pictures of the sample are not all there', { error: errorMessage(error) })
  }
}

/** A sample of release 0.1.0 has photos without files. */
async function hasPictureRows(pool: Pool): Promise<boolean> {
  const rows = await pool.query(sql`select from pg_proc where oid = to_regproc('sample.delete_photo_file')`)
  return rows.length > 0
}
