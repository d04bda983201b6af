import { WASQLiteVFS } from '@powersync/web'
import { localValue } from '../local-value.ts'
import * as v from 'valibot'

/** Where the local database lives. `memory` is lost with the tab. */
export type LocalStore = 'opfs' | 'indexeddb' | 'memory'

const STORES = ['opfs', 'indexeddb', 'memory'] as const
/** The answer is kept: a device must find its database again under the same file system. */
const chosen = localValue('hf-store', v.picklist(STORES))
const PROBE_TIMEOUT_MS = 4_000

const VFS: Readonly<Record<LocalStore, WASQLiteVFS>> = {
  opfs: WASQLiteVFS.OPFSCoopSyncVFS,
  indexeddb: WASQLiteVFS.IDBBatchAtomicVFS,
  memory: WASQLiteVFS.InMemoryVfs,
}

/** The file system of SQLite in a store. */
export function vfsOf(store: LocalStore): WASQLiteVFS {
  return VFS[store]
}

/**
 * The best store that this browser offers: its private files where they can be opened synchronously in a worker, else
 * IndexedDB, else memory. The operator may prescribe one for all devices by its file system's name.
 */
export async function chooseStore(prescribed: string | undefined): Promise<LocalStore> {
  const wanted = STORES.find((store) => VFS[store] === prescribed)
  if (wanted) return wanted
  const known = chosen.read()
  if (known !== undefined && known !== 'memory') return known
  const store = (await hasSyncFiles()) ? 'opfs' : (await hasIndexedDb()) ? 'indexeddb' : 'memory'
  chosen.write(store)
  return store
}

/** Sync access handles exist in workers only, so a worker has to try. */
async function hasSyncFiles(): Promise<boolean> {
  if (typeof navigator.storage?.getDirectory !== 'function') return false
  const worker = new Worker(new URL('./probe-sync-files.worker.ts', import.meta.url), { type: 'module' })
  try {
    return await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), PROBE_TIMEOUT_MS)
      worker.addEventListener('message', (event: MessageEvent<unknown>) => {
        clearTimeout(timer)
        resolve(event.data === true)
      })
      worker.addEventListener('error', () => resolve(false))
    })
  } finally {
    worker.terminate()
  }
}

async function hasIndexedDb(): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.open('hf-probe', 1)
      request.addEventListener('success', () => {
        request.result.close()
        resolve(true)
      })
      request.addEventListener('error', () => resolve(false))
    } catch {
      // Some browsers throw here when the person has switched site data off.
      resolve(false)
    }
  })
}
