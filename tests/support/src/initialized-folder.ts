import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { SERVER_MAIN, startServer, type ReadyLine } from './server-process.ts'

/** Where initialised folders are kept, each named by the build of the server that made it. Not in the checkout, which the user that Postgres has under root may not reach. */
const CACHE = join(tmpdir(), `holdfast-initialized-${userInfo().uid}`)

/** Age in ms at which the sample's dates are too old for its tests. */
const LIFETIME_MS = 6 * 60 * 60 * 1000

/** How often the process that makes a folder renews its lock, and after how long without that the lock counts as left behind, in milliseconds. */
const LOCK_RENEWAL_MS = 5_000
const LOCK_LIFETIME_MS = 60_000

/** Lag in bytes at which a reader counts as caught up. */
const CAUGHT_UP_BYTES = 1024 * 1024

/** Attempts, 0.1 s apart. A folder whose reader is behind is usable, too; starts on its copies only take longer. */
const CATCH_UP_ATTEMPTS = 300

/** A folder created once and shared by the tests of several processes. */
export interface SharedFolder {
  /** Identifies everything its content depends on. */
  readonly name: string
  /** Fills the folder, which does not exist yet. */
  readonly make: (folder: string) => Promise<void>
}

/**
 * Returns the path of a shared folder for copying. The first process that needs the folder makes it; another process makes it again when it is some hours old.
 */
export async function ensureSharedFolder({ name, make }: SharedFolder): Promise<string> {
  const folder = join(CACHE, name)
  while (!isFresh(folder)) {
    if (takeLock(folder)) {
      const renewal = setInterval(() => renewLock(folder), LOCK_RENEWAL_MS)
      try {
        await makeFolder(folder, make)
      } finally {
        clearInterval(renewal)
        releaseLock(folder)
      }
    } else await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return folder
}

async function makeFolder(folder: string, make: SharedFolder['make']): Promise<void> {
  if (isFresh(folder)) return // created by the previous holder of the lock
  for (const name of readdirSync(CACHE))
    if (!isFresh(join(CACHE, name))) rmSync(join(CACHE, name), { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  await make(unfinished)
  renameSync(unfinished, folder)
}

/** Copies a folder with file owners, because Postgres has a separate user under root. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}

/**
 * Copies the data folder of a server that was started once and stopped, so that a test does not pay for `initdb`, the migrations and the sample. It is made by
 * the first test that needs it. Folders that are made in this way have their keys and secrets in common.
 *
 * @param dataDir - does not exist yet
 * @param kind - whether the server had the sample organisation
 */
export async function copyInitializedFolder(dataDir: string, kind: { readonly sample: boolean }): Promise<void> {
  const template = await ensureSharedFolder({
    name: `${buildOfServer()}-${kind.sample ? 'sample' : 'plain'}`,
    make: (folder) => initialize(folder, kind.sample),
  })
  await copyFolder(template, dataDir)
}

async function initialize(dataDir: string, sample: boolean): Promise<void> {
  // Avoids recycled WAL segments, which would be half of each copy.
  const settings = '--postgres-settings=wal_recycle=off,min_wal_size=32MB'
  const args = ['--port=0', '--db-port=0', `--data-dir=${dataDir}`, settings, ...(sample ? ['--sample'] : [])]
  const server = await startServer(args, CACHE)
  await catchUp(server.ready)
  await server.kill('SIGTERM')
}

/** Waits until the reader has processed the start's WAL, which every start on a copy would read again. */
async function catchUp({ base, serviceRoleKey }: ReadyLine): Promise<void> {
  for (let attempt = 0; attempt < CATCH_UP_ATTEMPTS; attempt++) {
    const response = await fetch(`${base}/sync/v1/status`, { headers: { authorization: `Bearer ${serviceRoleKey}` } })
    const { slot } = (await response.json()) as { readonly slot: { readonly lagBytes: number } }
    if (slot.lagBytes < CAUGHT_UP_BYTES) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Files read at startup besides the build. */
const READ_AT_START = ['*/migrations/*.sql', '*/*/migrations/*.sql', 'sample/sql/*.sql', 'sample/supabase/**/*.*']

/** Of the server that tests start: another build, and other SQL, may initialise a folder differently. */
export function buildOfServer(): string {
  const dist = dirname(dirname(SERVER_MAIN))
  const root = dirname(dirname(dist))
  const hash = createHash('sha256').update(readFileSync(join(dist, 'bundle', 'built-from.json')))
  for (const file of globSync(READ_AT_START, { cwd: root }).toSorted()) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

function isFresh(template: string): boolean {
  return existsSync(template) && Date.now() - statSync(template).ctimeMs < LIFETIME_MS
}

/** @returns whether this process holds the lock for initializing the folder */
function takeLock(template: string): boolean {
  const lock = `${template}.lock`
  try {
    mkdirSync(CACHE, { recursive: true, mode: 0o711 })
    if (statSync(CACHE).uid !== userInfo().uid) throw new Error(`${CACHE} belongs to another user: remove it`)
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  if (Date.now() - since > LOCK_LIFETIME_MS) releaseLock(template)
  return false
}

function renewLock(template: string): void {
  const lock = `${template}.lock`
  const now = new Date()
  if (existsSync(lock)) utimesSync(lock, now, now)
}

function releaseLock(template: string): void {
  rmSync(`${template}.lock`, { recursive: true, force: true })
}
