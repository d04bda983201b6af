import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { userInfo } from 'node:os'

/** A folder in memory that every Linux has. */
const IN_MEMORY = '/dev/shm'

/** What the clusters and servers of a run take at most: some 0.5 GiB for each of eight workers. Others need memory too. */
const FREE_BYTES_MIN = 4 * 2 ** 30
const AVAILABLE_BYTES_MIN = 8 * 2 ** 30

/** What an interrupted run leaves behind goes with a later run. */
const LIFETIME_MS = 72 * 60 * 60 * 1_000

/**
 * Makes `os.tmpdir()` a folder in memory, for this process and those that it starts, unless `TMPDIR` is set or memory is short. A database is some 350 files: copying one
 * on a disk takes 0.15 s of processor time, in memory 0.01 s.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env['TMPDIR'] !== undefined || !hasRoomInMemory()) return
  const folder = join(IN_MEMORY, `holdfast-${userInfo().uid}`)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o1777) // as /tmp: under root Postgres is another user
  removeLeftovers(folder)
  process.env['TMPDIR'] = folder
}

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux' || process.availableMemory() < AVAILABLE_BYTES_MIN) return false
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === IN_MEMORY)
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    // Programs that tests write are run: containers often forbid that there.
    return mount !== undefined && !mount.includes('noexec') && bavail * bsize >= FREE_BYTES_MIN
  } catch {
    return false // no such folder
  }
}

function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - changedAt > LIFETIME_MS) rmSync(path, { recursive: true, force: true })
  }
}
