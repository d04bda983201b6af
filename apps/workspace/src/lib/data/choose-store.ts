import { WASQLiteVFS } from '@powersync/web'
import { localValue } from '../local-value.ts'
import * as v from 'valibot'
import type { ProbeMessage } from './probe-sync-files.worker.ts'

/** Where the local database lives. `memory` is lost with the tab. */
export type LocalStore = 'opfs' | 'indexeddb' | 'memory'

const STORES = ['opfs', 'indexeddb', 'memory'] as const
/** The answer is kept: a device must find its database again under the same file system. */
const chosen = localValue('hf-store', v.picklist(STORES))
/** A browser that does not answer has none. */
const PROBE_TIMEOUT_MS = 10_000

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

/**
 * Sync access handles exist in workers only, so a worker has to try.
 *
 * @throws when its script did not come: what the browser can do is not known then, and the answer would be kept
 */
async function hasSyncFiles(): Promise<boolean> {
  if (typeof navigator.storage?.getDirectory !== 'function') return false
  const worker = new Worker(new URL('./probe-sync-files.worker.ts', import.meta.url), { type: 'module' })
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  // A bad line may need longer for the script than a browser for the answer.
  let timer: ReturnType<typeof setTimeout> | undefined
  worker.addEventListener('message', ({ data }: MessageEvent<ProbeMessage>) => {
    if (data === 'begun') timer = setTimeout(() => resolve(false), PROBE_TIMEOUT_MS)
    else resolve(data)
  })
  worker.addEventListener('error', () =>
    timer === undefined ? reject(new Error('A part of the app did not load.')) : resolve(false),
  )
  try {
    return await promise
  } finally {
    clearTimeout(timer)
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
