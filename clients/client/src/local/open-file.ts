import type { CommonPowerSyncDatabase } from '@powersync/common'
import { isDamage } from './damage.ts'
import type { OpenFileOptions } from './file-options.ts'
import { fileNameOf, readLocalFile } from './local-file.ts'

export interface OpenFile extends Disposable {
  readonly database: CommonPowerSyncDatabase
  readonly fileName: string
}

/** How long other tabs may take to leave a damaged file, in milliseconds. One that is frozen does not. */
const LEAVE_MS = 5_000

/** Opens the file of a person's database, or a new one in place of one that is damaged. */
export async function openFile(options: OpenFileOptions): Promise<OpenFile> {
  const { store, userId, schema, openDatabase } = options
  const { generation, isDamaged = false } = await readLocalFile(store, userId)
  const fileName = fileNameOf(userId, { generation })
  const use = await useFile(fileName)
  const database = await openDatabase({ schema, fileName })
  try {
    await database.init()
    if (!isDamaged) return { database, fileName, [Symbol.dispose]: use }
  } catch (error) {
    if (!isDamage(error)) {
      use()
      throw error
    }
  }
  use()
  const { closeAnyway, replaceDamaged } = await import('./replace-damaged.ts')
  const replaced = await alone(fileName, async () => {
    // Another tab may have done it meanwhile.
    if ((await readLocalFile(store, userId)).generation !== generation) return undefined
    return replaceDamaged(database, generation, options)
  })
  if (!replaced) {
    await closeAnyway(database).catch(options.onProblem)
    return openFile(options)
  }
  const next = fileNameOf(userId, { generation: generation + 1 })
  return { database: replaced, fileName: next, [Symbol.dispose]: await useFile(next) }
}

/** @returns ends the use. While it lasts, no other tab replaces the file. */
async function useFile(fileName: string): Promise<() => void> {
  const locks = locksHere()
  const { promise: used, resolve: end } = Promise.withResolvers<void>()
  if (!locks) return end
  const taken = Promise.withResolvers<void>()
  const held = locks.request(`holdfast-use-${fileName}`, { mode: 'shared' }, () => {
    taken.resolve()
    return used
  })
  held.catch(taken.resolve)
  await taken.promise
  return end
}

/** Runs once no other tab uses the file; a tab that does not answer is not waited for. */
async function alone<T>(fileName: string, body: () => Promise<T>): Promise<T> {
  const locks = locksHere()
  if (!locks) return body()
  const name = `holdfast-use-${fileName}`
  try {
    return await locks.request(name, { signal: AbortSignal.timeout(LEAVE_MS) }, body)
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error
    return locks.request(name, { steal: true }, body)
  }
}

function locksHere(): LockManager | undefined {
  return (globalThis.navigator as Partial<Navigator> | undefined)?.locks
}
