import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { SERVER_MAIN, startServer, type ReadyLine } from './server-process.ts'

/** Where initialised folders are kept, each named by the build of the server that made it. Not in the checkout, which the user that Postgres has under root may not reach. */
const CACHE = join(tmpdir(), `holdfast-initialized-${userInfo().uid}`)

/** Milliseconds after which the sample's dates are too old for its tests. */
const LIFETIME_MS = 6 * 60 * 60 * 1000

/** Milliseconds that another process may take to initialise a folder before its lock counts as left behind. */
const LOCK_LIFETIME_MS = 180_000

/** How far behind a reader that has caught up may be. */
const CAUGHT_UP_BYTES = 1024 * 1024

/** Each takes 0.1 s. A folder whose reader is behind serves as well, only later. */
const CATCH_UP_ATTEMPTS = 300

/**
 * Copies the data folder of a server that was started once and stopped, so that a test does not pay for `initdb`, the migrations and the sample. It is made by
 * the first test that needs it. Folders that are made in this way have their keys and secrets in common.
 *
 * @param dataDir - does not exist yet
 * @param kind - whether the server had the sample organisation
 */
export async function copyInitializedFolder(dataDir: string, kind: { readonly sample: boolean }): Promise<void> {
  const template = join(CACHE, `${buildOfServer()}-${kind.sample ? 'sample' : 'plain'}`)
  while (!isFresh(template)) {
    if (takeLock(template)) await initialize(template, kind.sample).finally(() => releaseLock(template))
    else await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await promisify(execFile)('cp', ['-a', template, dataDir]) // owners too: Postgres under root has a user of its own
}

async function initialize(template: string, sample: boolean): Promise<void> {
  if (isFresh(template)) return // by the holder of the lock before
  for (const name of readdirSync(CACHE))
    if (!isFresh(join(CACHE, name))) rmSync(join(CACHE, name), { recursive: true, force: true })
  rmSync(template, { recursive: true, force: true })
  const unfinished = `${template}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const args = ['--port=0', '--db-port=0', `--data-dir=${unfinished}`, ...(sample ? ['--sample'] : [])]
  const server = await startServer(args, CACHE)
  await catchUp(server.ready)
  await server.kill('SIGTERM')
  renameSync(unfinished, template)
}

/** Waits until the reader has read what the start wrote, which every start on a copy would read again. */
async function catchUp({ base, serviceRoleKey }: ReadyLine): Promise<void> {
  for (let attempt = 0; attempt < CATCH_UP_ATTEMPTS; attempt++) {
    const response = await fetch(`${base}/sync/v1/status`, { headers: { authorization: `Bearer ${serviceRoleKey}` } })
    const { slot } = (await response.json()) as { readonly slot: { readonly lagBytes: number } }
    if (slot.lagBytes < CAUGHT_UP_BYTES) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** What a start reads besides the build. */
const READ_AT_START = ['*/migrations/*.sql', '*/*/migrations/*.sql', 'sample/sql/*.sql', 'sample/supabase/**/*.*']

/** Of the server that tests start: another build, and other SQL, may initialise a folder differently. */
function buildOfServer(): string {
  const dist = dirname(dirname(SERVER_MAIN))
  const root = dirname(dirname(dist))
  const hash = createHash('sha256').update(readFileSync(join(dist, 'bundle', 'built-from.json')))
  for (const file of globSync(READ_AT_START, { cwd: root }).toSorted()) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

function isFresh(template: string): boolean {
  return existsSync(template) && Date.now() - statSync(template).ctimeMs < LIFETIME_MS
}

/** @returns whether this process may initialise the folder now */
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

function releaseLock(template: string): void {
  rmSync(`${template}.lock`, { recursive: true, force: true })
}
