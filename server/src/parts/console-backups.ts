import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupSources } from '@holdfast/console'
import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import type { BackupList, ListedBackup } from '@holdfast/protocol'
import { BACKUP_FILES, BACKUPS, readBackupMetadata } from '../backup/backup-folder.ts'
import type { Config } from '../config/options.ts'
import type { PartContext } from './part-context.ts'

/** Free bytes that a backup must leave, so that Postgres can go on writing. */
const SPARE_BYTES = 256 * 1024 * 1024

/** Backups listed, newest first. */
const LISTED_MAX = 100

/** Bytes of output kept to explain a failure. */
const OUTPUT_BYTES_MAX = 64 * 1024

/** Ending of a folder while a backup is written. */
const UNFINISHED = '.unfinished'

/**
 * Returns how the console lists and makes backups.
 *
 * @param pool - connects as the superuser
 */
export function createBackupSources({ config, clock, logger, opened }: PartContext, pool: Pool): BackupSources {
  const backups = opened.use(new Backups({ config, pool, logger, now: clock.now }))
  return { list: () => backups.list(), begin: () => backups.begin() }
}

interface BackupsNeeds {
  readonly config: Config
  readonly pool: Pool
  readonly logger: Logger
  readonly now: () => number
}

/**
 * Makes backups one at a time. Each is made by `holdfast backup` in a process of its own, because copying files would hold up requests.
 */
class Backups implements AsyncDisposable {
  readonly #needs: BackupsNeeds
  readonly #folder: string
  #running: { readonly since: string; readonly ended: Promise<void>; readonly stop: () => void } | undefined
  #isStarting = false
  #failure: string | null = null

  constructor(needs: BackupsNeeds) {
    this.#needs = needs
    this.#folder = join(needs.config.dataDir, BACKUPS)
  }

  async list(): Promise<BackupList> {
    const { config } = this.#needs
    const [backups, space] = await Promise.all([listBackups(this.#folder), this.#readSpace()])
    return {
      ...space,
      folder: this.#folder,
      backups,
      runningSince: this.#running?.since ?? null,
      failure: this.#failure,
      isExternal: config.databaseUrl !== undefined,
      filesIn: config.storageS3Bucket ?? null,
    }
  }

  async begin(): Promise<string> {
    if (this.#running || this.#isStarting) throw backupRunning()
    this.#isStarting = true
    try {
      const { freeBytes, neededBytes } = await this.#readSpace()
      if (freeBytes < neededBytes) throw noSpace(freeBytes, neededBytes)
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await this.#deleteUnfinished()
      const since = new Date(this.#needs.now()).toISOString()
      const name = since.slice(0, 19).replaceAll(':', '-')
      this.#failure = null
      this.#running = { since, ...this.#run(join(this.#folder, name)) }
      return name
    } finally {
      this.#isStarting = false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#running?.stop()
    await this.#running?.ended
  }

  /** Removes what an interrupted backup left. */
  async #deleteUnfinished(): Promise<void> {
    for (const name of await readdir(this.#folder))
      if (name.endsWith(UNFINISHED)) await rm(join(this.#folder, name), { recursive: true, force: true })
  }

  #run(target: string): { readonly ended: Promise<void>; readonly stop: () => void } {
    const { config, logger } = this.#needs
    const stopping = new AbortController()
    const ended = Promise.withResolvers<void>()
    const env = { ...process.env, HOLDFAST_DATA_DIR: config.dataDir, DATABASE_URL: config.databaseUrl ?? '' }
    const options = { env, maxBuffer: OUTPUT_BYTES_MAX, signal: stopping.signal }
    const args = [...process.execArgv, process.argv[1] ?? '', 'backup', target]
    execFile(process.execPath, args, options, (error, _stdout, stderr) => {
      if (error && !stopping.signal.aborted) {
        this.#failure = stderr.trim() || errorMessage(error)
        logger.log('error', 'a backup failed', { folder: target, error: this.#failure })
      }
      this.#running = undefined
      ended.resolve()
    })
    return { ended: ended.promise, stop: () => stopping.abort() }
  }

  /** The estimate is the size of all databases and files: what is compressed is smaller. */
  async #readSpace(): Promise<{ readonly freeBytes: number; readonly neededBytes: number }> {
    const { config, pool } = this.#needs
    const { bavail, bsize } = await statfs(config.dataDir)
    const [row] = await pool.query<{ bytes: number }>(
      config.databaseUrl === undefined
        ? sql`select sum(pg_database_size(oid))::float8 as bytes from pg_database`
        : sql`select pg_database_size(current_database())::float8 as bytes`,
    )
    const files = config.storageS3Bucket === undefined ? await readFileBytes(pool) : 0
    return { freeBytes: bavail * bsize, neededBytes: (row?.bytes ?? 0) + files + SPARE_BYTES }
  }
}

async function readFileBytes(pool: Pool): Promise<number> {
  const [row] = await pool.query<{ bytes: number }>(sql`
    select coalesce(sum((metadata->>'size')::float8), 0) as bytes from storage.objects`)
  return row?.bytes ?? 0
}

async function listBackups(folder: string): Promise<readonly ListedBackup[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const finished = names
    .filter((name) => !name.endsWith(UNFINISHED) && existsSync(join(folder, name, BACKUP_FILES.metadata)))
    .toSorted()
    .toReversed()
  return await Promise.all(finished.slice(0, LISTED_MAX).map((name) => describeBackup(join(folder, name), name)))
}

async function describeBackup(path: string, name: string): Promise<ListedBackup> {
  const { takenAt, holdfast, kind } = readBackupMetadata(path)
  const { size } = await stat(join(path, kind === 'embedded' ? BACKUP_FILES.archive : BACKUP_FILES.database))
  return { name, takenAt, holdfast, databaseBytes: size }
}

function backupRunning(): HoldfastError {
  return new HoldfastError('backup_running', 409, 'A backup is being made. Wait until it is done.')
}

function noSpace(freeBytes: number, neededBytes: number): HoldfastError {
  const megabytes = (bytes: number): string => Math.ceil(bytes / 1_000_000).toLocaleString('en')
  return new HoldfastError(
    'backup_no_space',
    507,
    `A backup may need ${megabytes(neededBytes)} MB, and ${megabytes(freeBytes)} MB are free. Free space, or run "holdfast backup" with a folder on another disk.`,
  )
}
