import type { CommonPowerSyncDatabase } from '@powersync/common'
import { closeDatabase } from './close-database.ts'
import { isDamage } from './damage.ts'
import { locksHere, useLockOf } from './file-locks.ts'
import type { OpenFileOptions } from './file-options.ts'
import { fileNameOf, readLocalFile } from './local-file.ts'

export interface OpenFile extends Disposable {
  readonly database: CommonPowerSyncDatabase
  readonly fileName: string
}

/** Time in ms for other tabs to close a damaged file. A frozen tab does not. */
const LEAVE_MS = 5_000

/** Opens a user's database file, or a replacement for a damaged one. */
export async function openFile(options: OpenFileOptions): Promise<OpenFile> {
  const { store, userId } = options
  const { generation } = await readLocalFile(store, userId)
  const fileName = fileNameOf(userId, { generation })
  const { end: use, hasWaited } = await useFile(fileName)
  const file = await readLocalFile(store, userId)
  // Another tab replaced it meanwhile. Opening it now would create an empty file that no later start finds.
  if (file.generation !== generation) {
    use()
    return openFile(options)
  }
  let database: CommonPowerSyncDatabase | undefined
  try {
    // Having waited means that a tab is replacing the file, even if the store does not show it yet.
    const isDamaged = file.isDamaged === true || hasWaited || options.damagedFiles.has(fileName)
    database = isDamaged ? undefined : await openSound(options, fileName)
  } catch (error) {
    use()
    throw error
  }
  // As above, but only visible now, because stores of other tabs lag.
  if (database && (await readLocalFile(store, userId)).generation !== generation) {
    await closeDatabase(database).catch(options.onProblem)
    use()
    return openFile(options)
  }
  if (database) return { database, fileName, [Symbol.dispose]: use }
  use()
  const { replaceDamaged } = await import('./replace-damaged.ts')
  const replaced = await alone(fileName, async () => {
    // Another tab may have finished meanwhile.
    if ((await readLocalFile(store, userId)).generation !== generation) return undefined
    const next = fileNameOf(userId, { generation: generation + 1 })
    const database = await replaceDamaged(generation, options)
    return { database, fileName: next, [Symbol.dispose]: (await useFile(next)).end }
  })
  return replaced ?? openFile(options)
}

/** @returns `undefined` if the file is damaged; then it is closed, so another tab can remove it */
async function openSound(
  { schema, openDatabase, onProblem }: OpenFileOptions,
  fileName: string,
): Promise<CommonPowerSyncDatabase | undefined> {
  const database = await openDatabase({ schema, fileName })
  try {
    await database.init()
    return database
  } catch (error) {
    await closeDatabase(database).catch(onProblem)
    if (isDamage(error)) return undefined
    throw error
  }
}

/** While held, no other tab replaces the file. */
interface Use {
  readonly end: () => void
  /** Another tab was replacing the file, or about to. */
  readonly hasWaited: boolean
}

async function useFile(fileName: string): Promise<Use> {
  const locks = locksHere()
  const { promise: used, resolve: end } = Promise.withResolvers<void>()
  if (!locks) return { end, hasWaited: false }
  /** @returns whether the lock was granted; `undefined` if the browser provides no locks to this page */
  const take = (ifAvailable: boolean): Promise<boolean | undefined> =>
    new Promise((resolve) => {
      locks
        .request(useLockOf(fileName), { mode: 'shared', ifAvailable }, (lock) => {
          resolve(lock !== null)
          return lock === null ? undefined : used
        })
        .catch(() => resolve(undefined))
    })
  if ((await take(true)) !== false) return { end, hasWaited: false }
  await take(false)
  return { end, hasWaited: true }
}

/**
 * Runs once no other tab uses the file, without waiting for tabs that do not close it. Serialized across tabs without a timeout, because two replacing tabs
 * would both write the salvaged data.
 */
async function alone<T>(fileName: string, body: () => Promise<T>): Promise<T> {
  const locks = locksHere()
  if (!locks) return body()
  const name = useLockOf(fileName)
  return locks.request(`holdfast-replace-${fileName}`, async () => {
    let isRunning = false
    const run = (): Promise<T> => {
      isRunning = true
      return body()
    }
    const tooLong = AbortSignal.timeout(LEAVE_MS)
    try {
      return await locks.request(name, { signal: tooLong }, run)
    } catch (error) {
      if (isRunning || !tooLong.aborted) throw error
      return locks.request(name, { steal: true }, run)
    }
  })
}
