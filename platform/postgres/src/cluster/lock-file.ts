import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolderInUse, dataFolderUnusable } from './errors.ts'
import { findProcess } from './processes.ts'

interface LockContent {
  readonly pid: number
  readonly startedAt: string
}

/**
 * Makes this process the only one that uses a data folder. The lock of a process that is gone is taken over, also when its number has been
 * given to another one since.
 *
 * @returns gives the folder back; may be called twice
 * @throws {HoldfastError} `data_folder_in_use`, `data_folder_unusable`
 */
export function acquireLock(dataDir: string): () => void {
  const path = join(dataDir, 'lock')
  const content = JSON.stringify({ pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? '' })
  // Each round either takes the lock, ends with an error, or removes one stale lock; a handful covers any real race.
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

/** @returns the process that uses the folder, if one is alive */
export function readLockHolder(dataDir: string): number | undefined {
  const holder = parseLock(readOrUndefined(join(dataDir, 'lock')) ?? '')
  return holder !== undefined && isAlive(holder) ? holder.pid : undefined
}

function isAlive(holder: LockContent): boolean {
  const found = findProcess(holder.pid)
  return found !== undefined && (holder.startedAt === '' || found.startedAt === holder.startedAt)
}

/** Moves the lock away and looks at what was moved: another process may have replaced the stale one in the meantime. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return // another person has moved it
  }
  if (readOrUndefined(aside) !== stale) {
    try {
      linkSync(aside, path)
    } catch {
      // A third process holds the lock now; the next round finds it alive.
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
    return undefined // cut off by a crash while it was written
  }
}
