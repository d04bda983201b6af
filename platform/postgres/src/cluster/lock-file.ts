import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolderInUse, dataFolderUnusable } from './errors.ts'
import { findProcess } from './processes.ts'

interface LockContent {
  readonly pid: number
  readonly startedAt: string
}

/**
 * Locks a data folder for this process. Takes over the lock of a dead process, even if its PID has been reused.
 *
 * @returns releases the lock; idempotent
 * @throws {HoldfastError} `data_folder_in_use`, `data_folder_unusable`
 */
export function acquireLock(dataDir: string): () => void {
  const path = join(dataDir, 'lock')
  const content = JSON.stringify({ pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? '' })
  // Each round takes the lock, fails, or removes one stale lock; a few rounds cover any race.
  for (let round = 0; round < 5; round++) {
    try {
      writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
      return () => {
        if (readOrUndefined(path) === content) rmSync(path, { force: true })
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw dataFolderUnusable(dataDir, error)
    }
    const found = readOrUndefined(path)
    if (found === undefined) continue
    const holder = parseLock(found)
    if (holder && isAlive(holder)) throw dataFolderInUse(dataDir, holder.pid)
    removeStale(path, found)
  }
  throw dataFolderUnusable(dataDir, new Error(`${path} cannot be taken`))
}

/** @returns the PID of the process using the folder, if alive */
export function readLockHolder(dataDir: string): number | undefined {
  const holder = parseLock(readOrUndefined(join(dataDir, 'lock')) ?? '')
  return holder !== undefined && isAlive(holder) ? holder.pid : undefined
}

function isAlive(holder: LockContent): boolean {
  const found = findProcess(holder.pid)
  return found !== undefined && (holder.startedAt === '' || found.startedAt === holder.startedAt)
}

/** Moves the lock away and verifies it: another process may have replaced the stale one. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return // another process moved it
  }
  if (readOrUndefined(aside) !== stale) {
    try {
      linkSync(aside, path)
    } catch {
      // A third process now holds the lock; the next round will see that it is alive.
    }
  }
  rmSync(aside, { force: true })
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function parseLock(text: string): LockContent | undefined {
  try {
    const value = JSON.parse(text) as Partial<LockContent>
    return typeof value.pid === 'number' ? { pid: value.pid, startedAt: String(value.startedAt ?? '') } : undefined
  } catch {
    return undefined // a crash truncated it while it was written
  }
}
