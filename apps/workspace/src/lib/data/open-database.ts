import type { OpenDatabase } from '@holdfast/client'
import { LogLevels, PowerSyncDatabase, type PowerSyncLogger } from '@powersync/web'
import { create } from 'zustand'
import { chooseStore, type LocalStore, vfsOf } from './choose-store.ts'
// oxlint-disable-next-line import/default -- Vite makes the export: the worker's address
import worker from './database.worker.ts?worker&url'

/** Where the local database of this page is kept; `undefined` until it has been opened. */
export const useLocalStore = create<{ readonly store: LocalStore | undefined }>(() => ({ store: undefined }))

/**
 * Makes one person's SQLite database in the best store of this browser. The store is part of the file's name: another
 * store is another database.
 */
export async function openDatabase({
  schema,
  fileName,
  prescribedVfs,
}: Parameters<OpenDatabase>[0] & { readonly prescribedVfs: string | undefined }): Promise<
  Awaited<ReturnType<OpenDatabase>>
> {
  const store = await chooseStore(prescribedVfs)
  useLocalStore.setState({ store })
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const database = new PowerSyncDatabase({
    schema,
    logger: {
      log(record) {
        logger.log(record)
        // A call to a worker that did not start is never answered.
        if (record.message.startsWith(WORKER_TROUBLE)) {
          reject(new Error('The part of the app that keeps the database did not start.', { cause: record.error }))
        }
      },
    },
    database: {
      dbFilename: nameIn(store, fileName),
      vfs: vfsOf(store),
      // An address and not a function, because the settings are sent to the shared worker.
      worker,
    },
    sync: { worker },
  })
  failed.catch(() => undefined) // a worker that breaks later is the log's
  // Why it cannot be opened is for who opens it.
  await Promise.race([database.waitForReady().catch(() => undefined), failed])
  return database
}

function nameIn(store: LocalStore, fileName: string): string {
  return fileName.replace(/\.db$/, `-${store}.db`)
}

/** A file that was closed a moment ago may still be held. */
const REMOVALS_MAX = 20
const REMOVAL_DELAY_MS = 100

/**
 * Deletes a database that is not open, wherever this browser has kept it: which store was the best may have changed.
 *
 * @throws when it is still there
 */
export async function removeDatabase(fileName: string): Promise<void> {
  await removeFiles(nameIn('opfs', fileName))
  await deleteIndexedDb(nameIn('indexeddb', fileName))
}

async function removeFiles(name: string): Promise<void> {
  const root = await privateFiles()
  if (!root) return
  for (const end of ['', '-journal', '-wal']) await removeEntry(root, `${name}${end}`)
  await removeTemporaryFiles(root)
}

/** The browser's private files for this site; `undefined` where it has none. */
async function privateFiles(): Promise<FileSystemDirectoryHandle | undefined> {
  const storage = navigator.storage as Partial<StorageManager> | undefined
  if (typeof storage?.getDirectory !== 'function') return undefined
  try {
    return await navigator.storage.getDirectory()
  } catch (error) {
    if (keepsNothing(error)) return undefined
    throw error
  }
}

async function removeEntry(root: FileSystemDirectoryHandle, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await root.removeEntry(name)
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotFoundError') return
      if (attempt === REMOVALS_MAX) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, REMOVAL_DELAY_MS))
  }
}

/** SQLite's temporary files of tabs that have ended. A running one holds the lock of its folder's name (`OPFSCoopSyncVFS`). */
async function removeTemporaryFiles(root: FileSystemDirectoryHandle): Promise<void> {
  const names: string[] = []
  for await (const { kind, name } of root.values())
    if (kind === 'directory' && name.startsWith('.ahp-')) names.push(name)
  for (const name of names) {
    await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await root.removeEntry(name, { recursive: true })
    })
  }
}

/** What a browser throws that lets this site keep nothing: site data is switched off, or the window is a private one. */
function keepsNothing(error: unknown): boolean {
  return (
    error instanceof DOMException && ['SecurityError', 'InvalidStateError', 'NotSupportedError'].includes(error.name)
  )
}

/** How long another tab may take to close a database of IndexedDB, in milliseconds. */
const CLOSE_MS = 5_000

async function deleteIndexedDb(name: string): Promise<void> {
  // A private window may have none.
  if (typeof indexedDB === 'undefined') return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error(`Another tab has the database ${name} open.`)), CLOSE_MS)
  try {
    const request = indexedDB.deleteDatabase(name)
    request.addEventListener('success', () => resolve())
    request.addEventListener('error', () => reject(request.error ?? new Error(`${name} could not be deleted.`)))
    await promise
  } catch (error) {
    if (!keepsNothing(error)) throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The bytes of a database of this page's store, where that has files. */
export async function readDatabaseFile(fileName: string): Promise<Blob | undefined> {
  const { store } = useLocalStore.getState()
  if (store !== 'opfs') return undefined
  const root = await navigator.storage.getDirectory()
  return (await root.getFileHandle(nameIn(store, fileName))).getFile()
}

/** What the SDK says of a worker whose script failed; it goes on waiting for it. */
const WORKER_TROUBLE = 'Error in database or sync worker'

/** Being without a connection is a state that the sync chip shows, not an error; the engine tells of each attempt. */
const CONNECTION_TROUBLE =
  /^(Sync error|Sync aborted|Error in crud upload loop|Could not |Initial connect|Error in sync while disconnecting)/

const logger: PowerSyncLogger = {
  log({ level, message, error }) {
    const parts = error === undefined ? [`[sync] ${message}`] : [`[sync] ${message}`, error]
    if (CONNECTION_TROUBLE.test(message) || level < LogLevels.warn) {
      if (level > LogLevels.debug) console.info(...parts)
    } else if (level < LogLevels.error) console.warn(...parts)
    else console.error(...parts)
  },
}
