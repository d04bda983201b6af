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
import { writeStandIns } from './stand-ins.ts'
import { ensureVaultKey } from './vault-key.ts'

export interface EmbeddedClusterOptions {
  /** Holds the database, its passwords and a lock. Made when it does not exist. */
  readonly dataDir: string
  /** TCP port on the loopback; 0 picks a free one. */
  readonly port: number
  readonly logger: Logger
  /** Postgres settings on top of ours. */
  readonly settings?: Readonly<Record<string, string>>
  /** Folder of the programs of an installed Postgres to run instead of the packaged one. */
  readonly binDir?: string | undefined
  /** Whether a new database reaches the disk before it is used. Off for databases that live as long as a test run. Default true. */
  readonly durable?: boolean
  /** Refuse a folder without a database instead of making one. Default false. */
  readonly mustExist?: boolean
  /** Gives up opening, in the middle of `initdb` or of a recovery too; nothing runs any more then. */
  readonly signal?: AbortSignal
  /** Called when there is nothing left to do but to wait for a process: `initdb`, or Postgres where there is a database. */
  readonly onSpawned?: () => void
}

/** Milliseconds between attempts to bring a dead Postgres back: at once, then slower, for as long as it takes (a full disk may get space). */
const RESTART_DELAY_MS = { min: 50, max: 3_000 }

/** Where there is no other user, or where root must not give the files away. */
const RUNS_AS_NOBODY =
  'Postgres runs as nobody, as other programs of this machine may: start Holdfast as a user of its own, or give the database files to one'

/**
 * Starts the packaged Postgres on a data folder as a child of this process, and starts it again whenever it dies.
 *
 * @throws The signal's reason
 * @throws {HoldfastError} with what to do about it: `postgres_port_busy`, `data_folder_in_use`, `postgres_version_mismatch`,
 *   `postgres_start_failed` and others of `errors.ts`
 */
export async function openEmbeddedCluster(options: EmbeddedClusterOptions): Promise<Cluster> {
  const { logger } = options
  if (options.mustExist === true && !existsSync(join(options.dataDir, 'postgres')))
    throw databaseMissing(options.dataDir)
  // Before anything is created. Where there is a database, a leftover of ours may hold the port until it is stopped.
  if (!existsSync(join(options.dataDir, 'postgres'))) await choosePort(options.port)
  const dataDir = prepareDataFolder(options.dataDir)
  const releaseLock = acquireLock(dataDir)
  try {
    const binaries = findBinaries(options.binDir)
    const databaseDir = join(dataDir, 'postgres')
    const identity = resolveIdentity(binaries, databaseDir)
    if (ownerOf(identity)?.uid === NOBODY) logger.log('warn', RUNS_AS_NOBODY)
    const clusterName = clusterNameOf(dataDir)
    // Before files change hands, which a leftover could not go on with.
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

/** Makes the database on first start, checks it later, and writes our settings. */
async function prepareDatabase(files: DatabaseFiles): Promise<SeparateSecrets> {
  const { dataDir, databaseDir, identity } = files
  const settingsFile = join(dataDir, 'postgres.conf')
  const extensions = writeStandIns(dataDir, files.binaries.shareDir)
  writeFileSync(settingsFile, tunedSettings({ extension_control_path: extensions, ...files.settings }))
  chmodSync(settingsFile, 0o644) // whatever the umask is, the user that Postgres runs as reads it
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

/** In a folder of release 0.1.0: takes the superuser's rights from the role that projects act as. Goes on where it was interrupted. */
async function finishSeparation(files: Separation, secrets: SeparateSecrets): Promise<SeparateSecrets> {
  if (secrets.separation !== 'pending') return secrets
  // At a port that no client knows.
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

/** Watches a Postgres and replaces it when it dies, until stopped. */
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
