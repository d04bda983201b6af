import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { backoffMs, delay, errorMessage, type Logger } from '@holdfast/foundation'
import { withOwnSettings } from '../connection/own-settings.ts'
import { POSTGRES_MAJOR, SERVER_VERSION, findBinaries, type Binaries } from './binaries.ts'
import { choosePort } from './choose-port.ts'
import { clusterNameOf } from './cluster-name.ts'
import { DATABASE_NAME, PROJECT_ROLE, REQUEST_ROLE, SUPERUSER, type Cluster } from './cluster.ts'
import { prepareDataFolder } from './data-folder.ts'
import { dataFolderUnusable, databaseMissing, secretsMissing, versionMismatch } from './errors.ts'
import { giveFolder, ownerOf, resolveIdentity, type Identity } from './identity.ts'
import { initDatabase } from './init-database.ts'
import { acquireLock } from './lock-file.ts'
import { NOBODY } from './own-user.ts'
import { ensureProjectRole } from './project-role.ts'
import { startPostmaster, type Postmaster, type PostmasterOptions } from './postmaster.ts'
import { recoverFromCrash } from './recover.ts'
import {
  createSecrets,
  randomPassword,
  secretsPath,
  separateSecrets,
  takeSecrets,
  writeSecrets,
  type ClusterSecrets,
  type SeparateSecrets,
} from './secrets.ts'
import { separateRoles } from './separate-roles.ts'
import { fixedSettings, tunedSettings } from './settings.ts'
import { writeExtensionStubs } from './extension-stubs.ts'
import { ensureVaultKey } from './vault-key.ts'

export interface EmbeddedClusterOptions {
  /** Contains the database, its passwords and a lock. Created if missing. */
  readonly dataDir: string
  /** TCP port on loopback; 0 chooses a free one. */
  readonly port: number
  readonly logger: Logger
  /** Additional Postgres settings. */
  readonly settings?: Readonly<Record<string, string>>
  /** Folder with an installed Postgres's programs, instead of the packaged one. */
  readonly binDir?: string | undefined
  /** Whether a new database is synced to disk. Off for databases of test runs. Default: true. */
  readonly durable?: boolean
  /** Fail if there is no database instead of creating one. Default: false. */
  readonly mustExist?: boolean
  /** Cancels opening, including `initdb` and recovery, and stops all processes. */
  readonly signal?: AbortSignal
  /** Called when only waiting for a process remains: `initdb`, or Postgres for an existing database. */
  readonly onSpawned?: () => void
}

/** Restart delays in ms: immediate at first, then slower, indefinitely (a full disk may be cleaned up). */
const RESTART_DELAY_MS = { min: 50, max: 3_000 }

/** Where there is no separate user, or root must not change the owner of files. */
const RUNS_AS_NOBODY =
  'Postgres runs as nobody, as other programs of this machine may: start Holdfast as a user of its own, or give the database files to one'

/**
 * Starts the packaged Postgres on a data folder as a child process, and restarts it whenever it dies.
 *
 * @throws the signal's reason
 * @throws {HoldfastError} `postgres_port_busy`, `data_folder_in_use`, `postgres_version_mismatch`, `postgres_start_failed` and others in `errors.ts`
 */
export async function openEmbeddedCluster(options: EmbeddedClusterOptions): Promise<Cluster> {
  const { logger } = options
  if (options.mustExist === true && !existsSync(join(options.dataDir, 'postgres')))
    throw databaseMissing(options.dataDir)
  // Check before creating anything. With an existing database, a leftover process may hold the port until it is stopped.
  if (!existsSync(join(options.dataDir, 'postgres'))) await choosePort(options.port)
  const dataDir = prepareDataFolder(options.dataDir)
  const releaseLock = acquireLock(dataDir)
  try {
    const binaries = findBinaries(options.binDir)
    const databaseDir = join(dataDir, 'postgres')
    const identity = resolveIdentity(binaries, databaseDir)
    if (ownerOf(identity)?.uid === NOBODY) logger.log('warn', RUNS_AS_NOBODY)
    const clusterName = clusterNameOf(dataDir)
    // Before changing the owner of files, with which a leftover could not continue.
    await recoverFromCrash(databaseDir, clusterName, logger)
    const stored = await prepareDatabase({ ...options, dataDir, databaseDir, binaries, identity })
    const port = await choosePort(options.port)
    const settings = fixedSettings(port, clusterName)
    const secrets = await finishSeparation(
      { ...options, dataDir, databaseDir, binaries, identity, clusterName },
      stored,
    )
    const urlOf = (role: string, password: string): string =>
      `postgres://${role}:${password}@127.0.0.1:${port}/${DATABASE_NAME}`
    const internalUrl = urlOf(SUPERUSER, secrets.superuserPassword)
    const adminUrl = urlOf(PROJECT_ROLE, secrets.projectPassword)
    const start = (signal: AbortSignal | undefined, prepare?: PostmasterOptions['prepare']): Promise<Postmaster> =>
      startPostmaster({
        binaries,
        identity,
        databaseDir,
        settings,
        internalUrl: withOwnSettings(internalUrl, SERVER_VERSION),
        port,
        logger,
        signal,
        onSpawned: options.onSpawned,
        prepare,
      })
    options.signal?.throwIfAborted()
    const first = await start(options.signal, (db) => ensureProjectRole(db, adminUrl))
    const supervisor = supervise(
      first,
      async (signal) => {
        await recoverFromCrash(databaseDir, clusterName, logger)
        return start(signal)
      },
      logger,
    )
    return {
      kind: 'embedded',
      adminUrl,
      internalUrl,
      requestUrl: urlOf(REQUEST_ROLE, secrets.authenticatorPassword),
      otherRequestUrls: [],
      databasePort: port,
      serverVersion: SERVER_VERSION,
      isUp: supervisor.isUp,
      onRestart: supervisor.onRestart,
      async [Symbol.asyncDispose]() {
        await supervisor.stop()
        releaseLock()
      },
    }
  } catch (error) {
    releaseLock()
    throw error
  }
}

interface DatabaseFiles extends EmbeddedClusterOptions {
  readonly databaseDir: string
  readonly binaries: Binaries
  readonly identity: Identity
}

/** Creates or checks the database and writes the settings. */
async function prepareDatabase(files: DatabaseFiles): Promise<SeparateSecrets> {
  const { dataDir, databaseDir, identity } = files
  const settingsFile = join(dataDir, 'postgres.conf')
  const extensions = writeExtensionStubs(dataDir, files.binaries.shareDir)
  writeFileSync(settingsFile, tunedSettings({ extension_control_path: extensions, ...files.settings }))
  chmodSync(settingsFile, 0o644) // readable by Postgres's user, whatever the umask
  ensureVaultKey(dataDir, identity)
  const stored = takeSecrets(dataDir, files.logger)
  if (existsSync(databaseDir)) {
    const version = readVersion(databaseDir)
    if (version !== String(POSTGRES_MAJOR)) throw versionMismatch(dataDir, version, POSTGRES_MAJOR)
    if (!stored) throw secretsMissing(secretsPath(dataDir))
    const owner = ownerOf(identity)
    if (owner && statSync(databaseDir).uid !== owner.uid) {
      giveFolder(databaseDir, identity)
      files.logger.log('info', 'the database files belong to a user of their own now', owner)
    }
    return isSeparate(stored) ? stored : separateSecrets(dataDir, stored)
  }
  const secrets =
    stored === undefined
      ? createSecrets(dataDir)
      : isSeparate(stored)
        ? stored
        : writeSecrets(dataDir, { ...stored, projectPassword: randomPassword() })
  await initDatabase({
    binaries: files.binaries,
    identity,
    databaseDir,
    includeFile: `../${basename(settingsFile)}`,
    superuser: SUPERUSER,
    superuserPassword: secrets.superuserPassword,
    durable: files.durable ?? true,
    signal: files.signal,
    onSpawned: files.onSpawned,
  })
  return secrets
}

function isSeparate(secrets: ClusterSecrets): secrets is SeparateSecrets {
  return secrets.projectPassword !== undefined
}

interface Separation {
  readonly dataDir: string
  readonly databaseDir: string
  readonly binaries: Binaries
  readonly identity: Identity
  readonly clusterName: string
  readonly logger: Logger
  readonly signal?: AbortSignal
}

/** For folders of release 0.1.0: removes superuser rights from the project's role. Continues after an interruption. */
async function finishSeparation(files: Separation, secrets: SeparateSecrets): Promise<SeparateSecrets> {
  if (secrets.separation !== 'pending') return secrets
  // On a port unknown to clients.
  const port = await choosePort(0)
  const settings = fixedSettings(port, files.clusterName)
  await separateRoles(
    { port, secrets, logger: files.logger },
    async (internalUrl) => await startPostmaster({ ...files, settings, internalUrl, port }),
  )
  const { separation: _, ...separate } = secrets
  return writeSecrets(files.dataDir, separate)
}

function readVersion(databaseDir: string): string {
  try {
    return readFileSync(join(databaseDir, 'PG_VERSION'), 'utf8').trim()
  } catch (error) {
    throw dataFolderUnusable(databaseDir, error)
  }
}

interface Supervisor {
  isUp(): boolean
  onRestart(listener: () => void): () => void
  stop(): Promise<void>
}

/** Monitors Postgres and restarts it when it dies, until stopped. */
function supervise(
  first: Postmaster,
  restart: (signal: AbortSignal) => Promise<Postmaster>,
  logger: Logger,
): Supervisor {
  const stopping = new AbortController()
  const listeners = new Set<() => void>()
  let current: Postmaster | undefined = first

  const watching = watch()
  return {
    isUp: () => current !== undefined,
    onRestart(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async stop() {
      stopping.abort(new Error('stopped'))
      await current?.stop()
      await watching
    },
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await current?.exited
      if (stopping.signal.aborted) return
      logger.log('error', 'Postgres died and is started again', { lastWords: current?.logLines().slice(-3) })
      current = undefined
      current = await bringBack()
      if (current && !stopping.signal.aborted) {
        logger.log('warn', 'Postgres is back')
        for (const listener of listeners) listener()
      }
    }
    await current?.stop()
  }

  async function bringBack(): Promise<Postmaster | undefined> {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      try {
        return await restart(stopping.signal)
      } catch (error) {
        if (stopping.signal.aborted) return undefined
        logger.log('error', `Postgres does not start: ${errorMessage(error)}`, { attempt })
        await delay(backoffMs(attempt, RESTART_DELAY_MS.min, RESTART_DELAY_MS.max), stopping.signal).catch(
          () => undefined,
        )
      }
    }
    return undefined
  }
}
