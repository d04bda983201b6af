import { errorMessage } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { assertFileName } from '../attachments/files/file-store.ts'
import type { AttachmentsOptions } from '../attachments/attachments-options.ts'
import type { KeyValueStore } from '../key-value.ts'
import { emptySearchIndex } from '../search/search-tables.ts'
import type { DeviceUsers } from '../session/device-users.ts'
import { forgetSchema } from '../schema/fetch-schema.ts'
import { toLocalSchema } from '../schema/to-local-schema.ts'
import { forgetIncomplete } from '../status/watch-incomplete.ts'
import { forgetWriteRules } from '../write-rules/fetch-write-rules.ts'
import { closeDatabase } from './close-database.ts'
import type { ForgetUser, OpenDatabase, RemoveDatabase } from './file-options.ts'
import { whileUnused } from './file-locks.ts'
import type { DeviceLock } from './lock/device-lock.ts'
import { fileNameOf, forgetLocalFile } from './local-file.ts'
import type { StoredRemoval } from './pending-removals.ts'

export interface RemoveUserDataOptions {
  readonly store: KeyValueStore
  readonly people: DeviceUsers
  readonly openDatabase: OpenDatabase
  readonly removeDatabase: RemoveDatabase | undefined
  readonly forgetUser: ForgetUser | undefined
  readonly attachments: AttachmentsOptions | undefined
  readonly lock: (() => Promise<DeviceLock>) | undefined
  readonly onProblem: (error: unknown) => void
}

/** Timeout in ms for emptying a file that cannot be deleted, because a frozen tab may hold it. */
const CLEAR_MS = 10_000

/**
 * Removes all data of a user from this device: databases with outbox, drafts and search index, kept damaged ones, files, and store entries. Continues after
 * failures to remove as much as possible.
 *
 * @throws {AggregateError} if something remains; may be called again
 */
export async function removeUserData(removal: StoredRemoval, options: RemoveUserDataOptions): Promise<void> {
  const { id, generation, isBack } = removal
  const problems: unknown[] = []
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      problems.push(error)
    }
  }
  for (let at = 0; at <= generation; at += 1) {
    await attempt(() => removeFile(fileNameOf(id, { generation: at }), options))
  }
  if (!isBack) {
    // An interrupted replacement.
    const { removeDatabase } = options
    if (removeDatabase) await attempt(() => removeDatabase(fileNameOf(id, { generation: generation + 1 })))
    await attempt(() => removeFiles(id, options))
    await attempt(async () => (await options.lock?.())?.forget(id))
    await attempt(() => forgetStored(id, options, problems.length > 0))
    await attempt(async () => options.forgetUser?.(id))
  }
  if (problems.length > 0) throw new AggregateError(problems, problems.map(errorMessage).join(' '))
}

async function removeFile(fileName: string, options: RemoveUserDataOptions): Promise<void> {
  const { removeDatabase } = options
  if (!removeDatabase) return clearFile(fileName, options)
  try {
    await whileUnused(fileName, () => removeDatabase(fileName))
  } catch (error) {
    // At least empty what remains.
    await within(CLEAR_MS, clearFile(fileName, options)).catch(options.onProblem)
    throw error
  }
}

async function clearFile(fileName: string, { openDatabase, onProblem }: RemoveUserDataOptions): Promise<void> {
  const database = await openDatabase({ schema: toLocalSchema({ version: '', tables: [] }), fileName })
  try {
    await database.init()
    await clearDatabase(database)
  } finally {
    await closeDatabase(database).catch(onProblem)
  }
}

async function removeFiles(userId: string, { attachments }: RemoveUserDataOptions): Promise<void> {
  if (!attachments) return
  assertFileName(userId)
  const files = await attachments.files(userId)
  await files.clear()
  const left = (await files.list()).length
  if (left > 0) throw new Error(`${left} files could not be deleted.`)
}

/** @param keepsFile - a database of the user remains, so the next one needs a different name */
async function forgetStored(
  userId: string,
  { store, people }: RemoveUserDataOptions,
  keepsFile: boolean,
): Promise<void> {
  await forgetSchema(store, userId)
  await forgetWriteRules(store, userId)
  await forgetIncomplete(store, userId)
  await people.forget(userId)
  if (!keepsFile) await forgetLocalFile(store, userId)
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`A database could not be emptied within ${ms} ms.`)), ms)
  })
  work.catch(() => undefined) // it may fail after the timeout
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

type ClearedDatabase = Pick<CommonPowerSyncDatabase, 'disconnectAndClear' | 'execute' | 'writeTransaction'>

/**
 * Removes everything from an open database, including free pages and the log. Needed where the file cannot be deleted: SQLite keeps the bytes of deleted rows
 * until it needs the space.
 */
async function clearDatabase(database: ClearedDatabase): Promise<void> {
  await emptySearchIndex(database)
  await database.disconnectAndClear()
  await database.execute('vacuum')
  await database.execute('pragma wal_checkpoint(truncate)')
}
