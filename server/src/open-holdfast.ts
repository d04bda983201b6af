import { parseJwtSecret } from '@holdfast/auth'
import { createPhases, HoldfastError } from '@holdfast/foundation'
import { findPort, parseTrustProxy, readTlsIdentity } from '@holdfast/http'
import { openEmbeddedCluster, openExternalCluster, parseChosenSettings, type Cluster } from '@holdfast/postgres'
import { readAppSettings } from './config/app-settings.ts'
import { tlsFilesOf } from './config/base-url.ts'
import { requireLoopbackForSample } from './config/loopback.ts'
import { readMapSettings } from './config/map-settings.ts'
import type { Holdfast, OpenHoldfastOptions } from './holdfast.ts'

/**
 * Opens everything. This module imports little: the services are loaded while Postgres starts, which takes about as long, in a process of its own.
 *
 * @throws The signal's reason; {HoldfastError} when it cannot start, with what to do about it
 */
export async function openHoldfast(options: OpenHoldfastOptions): Promise<Holdfast> {
  const { config } = options
  requireLoopbackForSample(config, config.sample)
  parseTrustProxy(config.trustProxy)
  readMapSettings(config)
  readAppSettings(config.appSettings)
  const tls = tlsFilesOf(config)
  // Refused before anything is started, as a secret that is no good.
  if (tls) readTlsIdentity(tls)
  // A configured secret that is no good is refused before anything is started.
  if (config.jwtSecret !== undefined) parseJwtSecret(config.jwtSecret)
  requireSharedDatabase(config)
  const settings = readPostgresSettings(config)
  const phases = createPhases()
  const port = await findPort(config.host, config.port)
  phases.end('port')
  const { promise: spawned, resolve: onSpawned } = Promise.withResolvers<void>()
  const opening = openCluster(options, settings, onSpawned)
  await Promise.race([spawned, opening])
  const [loaded, cluster] = await Promise.allSettled([import('./compose.ts'), opening])
  if (cluster.status === 'rejected') throw cluster.reason
  if (loaded.status === 'rejected') {
    await cluster.value[Symbol.asyncDispose]()
    throw loaded.reason
  }
  phases.end('postgres')
  return await loaded.value.composeHoldfast(options, { port, cluster: cluster.value, phases })
}

/** @throws {HoldfastError} `option_invalid` */
function requireSharedDatabase({ natsUrl, databaseReplicaUrl, databaseUrl }: OpenHoldfastOptions['config']): void {
  if (databaseReplicaUrl !== undefined && databaseUrl === undefined)
    throw new HoldfastError(
      'option_invalid',
      500,
      'DATABASE_REPLICA_URL is a replica of DATABASE_URL, which is not set.',
      {
        hint: 'Set DATABASE_URL, or start without DATABASE_REPLICA_URL: the packaged Postgres has no replicas.',
      },
    )
  if (databaseReplicaUrl !== undefined && !/^postgres(ql)?:$/.test(URL.parse(databaseReplicaUrl)?.protocol ?? ''))
    throw new HoldfastError('option_invalid', 500, 'DATABASE_REPLICA_URL is not a URL of Postgres.', {
      hint: 'Write it like DATABASE_URL: postgres://user:password@host:5432/database.',
    })
  if (natsUrl !== undefined && databaseUrl === undefined)
    throw new HoldfastError('option_invalid', 500, 'NATS_URL connects servers of one DATABASE_URL, which is not set.', {
      hint: 'Set DATABASE_URL, or start without NATS_URL: the packaged Postgres has one server.',
    })
}

/** @throws {HoldfastError} `option_invalid` for one that cannot be chosen, and for any with a Postgres that another person runs */
function readPostgresSettings({ databaseUrl, postgresSettings }: OpenHoldfastOptions['config']): ChosenSettings {
  if (databaseUrl !== undefined && postgresSettings.length > 0)
    throw new HoldfastError('option_invalid', 500, '--postgres-settings are those of the packaged Postgres.', {
      hint: 'Change them on the Postgres of DATABASE_URL itself, or start without it.',
    })
  return parseChosenSettings(postgresSettings)
}

type ChosenSettings = ReturnType<typeof parseChosenSettings>

function openCluster(
  { config, logs, logger: own, progress, signal }: OpenHoldfastOptions,
  settings: ChosenSettings,
  onSpawned: () => void,
): Promise<Cluster> {
  const logger = logs?.loggerFor('postgres') ?? own
  if (config.databaseUrl !== undefined) {
    progress('connecting to Postgres')
    const opening = openExternalCluster({ url: config.databaseUrl, dataDir: config.dataDir, logger })
    onSpawned()
    return opening
  }
  progress('starting Postgres')
  const { dataDir, dbPort: port, postgresBin: binDir } = config
  return openEmbeddedCluster({ dataDir, port, binDir, settings, logger, signal, onSpawned })
}
