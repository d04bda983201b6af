import type { DatabaseBytes, OpenDatabase } from '@holdfast/client'
import { LogLevels, PowerSyncDatabase, type PowerSyncLogger } from '@powersync/web'
import { create } from 'zustand'
import { chooseStore, type LocalStore, vfsOf } from './choose-store.ts'
// oxlint-disable-next-line import/default -- Vite generates the export: the worker's URL
import worker from './database.worker.ts?worker&url'

/** Store of this page's local database; `undefined` until opened. */
export const useLocalStore = create<{ readonly store: LocalStore | undefined }>(() => ({ store: undefined }))

/** Creates a user's SQLite database in the best store. The store is part of the file name, because databases of different stores are separate. */
export async function openDatabase({
  schema,
  fileName,
  prescribedVfs,
}: Parameters<OpenDatabase>[0] & { readonly prescribedVfs: string | undefined }): Promise<
  Awaited<ReturnType<OpenDatabase>>
> {
  const store = await chooseStore(prescribedVfs)
  useLocalStore.setState({ store })
  if (store !== 'opfs') {
    import('./keep-store.ts').then(
      ({ keepStore }) => keepStore(),
      (error: unknown) => console.info('SQLite is kept at the next start.', error),
    )
  }
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const database = new PowerSyncDatabase({
    schema,
    logger: {
      log(record) {
        logger.log(record)
        // A call to a worker that failed to start never returns.
        if (record.message.startsWith(WORKER_TROUBLE)) {
          reject(new Error('The part of the app that keeps the database did not start.', { cause: record.error }))
        }
      },
    },
    database: {
      dbFilename: nameIn(store, fileName),
      vfs: vfsOf(store),
      // A URL rather than a function, because settings are sent to the shared worker.
      worker,
    },
    sync: { worker },
  })
  failed.catch(() => undefined) // later worker failures are only logged
  // The caller handles errors of opening.
  await Promise.race([database.waitForReady().catch(() => undefined), failed])
  return database
}

function nameIn(store: LocalStore, fileName: string): string {
  return fileName.replace(/\.db$/, `-${store}.db`)
}

/** SQLite's files of a database, by suffix. */
const SUFFIXES = ['', '-journal', '-wal'] as const

/** Attempts, because a just closed file may still be held. */
const REMOVALS_MAX = 20
const REMOVAL_DELAY_MS = 100

/**
 * Deletes a closed database from every store, because the best store may have changed.
 *
 * @throws if it still exists
 */
export async function removeDatabase(fileName: string): Promise<void> {
  await removeFiles(nameIn('opfs', fileName))
  await deleteIndexedDb(nameIn('indexeddb', fileName))
}

async function removeFiles(name: string): Promise<void> {
  const root = await privateFiles()
  if (!root) return
  for (const suffix of SUFFIXES) await removeEntry(root, `${name}${suffix}`)
  await removeTemporaryFiles(root)
}

/** Returns the origin private file system, if available. */
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

/** Deletes SQLite's temporary files of ended tabs. A running tab holds the lock named like its folder (`OPFSCoopSyncVFS`). */
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

/** Whether an error means that site data is disabled or the window is private. */
function keepsNothing(error: unknown): boolean {
  return (
    error instanceof DOMException && ['SecurityError', 'InvalidStateError', 'NotSupportedError'].includes(error.name)
  )
}

/** Time in ms for another tab to close an IndexedDB database. */
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

/** Whether databases are files that this page can rewrite. Older Safari versions support this only in workers. */
async function hasRewritableFiles(): Promise<boolean> {
  const { store } = useLocalStore.getState()
  if (store !== undefined && store !== 'opfs') return false
  const hasStreams = typeof FileSystemFileHandle !== 'undefined' && 'createWritable' in FileSystemFileHandle.prototype
  return hasStreams && (await privateFiles()) !== undefined
}

/** The files of closed databases, for encrypting them at sign-out. */
export const databaseBytes: DatabaseBytes = {
  isSupported: hasRewritableFiles,
  async read(fileName) {
    const root = await privateFiles()
    const found = new Map<string, Blob>()
    for (const suffix of SUFFIXES) {
      const name = `${nameIn('opfs', fileName)}${suffix}`
      try {
        const file = await (await root?.getFileHandle(name))?.getFile()
        if (file) found.set(suffix, file)
      } catch (error) {
        if (!(error instanceof DOMException && error.name === 'NotFoundError')) throw error
      }
    }
    return found
  },
  async write(fileName, suffix, bytes) {
    const root = await navigator.storage.getDirectory()
    const handle = await root.getFileHandle(`${nameIn('opfs', fileName)}${suffix}`, { create: true })
    await bytes.pipeTo((await handle.createWritable()) as unknown as WritableStream<Uint8Array>)
  },
}

/** Returns the bytes of a database, if the store has files. */
export async function readDatabaseFile(fileName: string): Promise<Blob | undefined> {
  const { store } = useLocalStore.getState()
  if (store !== 'opfs') return undefined
  const root = await navigator.storage.getDirectory()
  return (await root.getFileHandle(nameIn(store, fileName))).getFile()
}

/** The SDK's log message for a worker whose script failed, after which it keeps waiting. */
const WORKER_TROUBLE = 'Error in database or sync worker'

/** Being offline is a state shown by the sync chip, not an error, but the engine logs every attempt. */
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
