import { WASQLiteVFS } from '@powersync/web'
import { localValue } from '../local-value.ts'
import * as v from 'valibot'
import type { ProbeMessage } from './probe-sync-files.worker.ts'

/** Location of the local database. `memory` is lost with the tab. */
export type LocalStore = 'opfs' | 'indexeddb' | 'memory'

const STORES = ['opfs', 'indexeddb', 'memory'] as const
/** Persisted, because a device must find its database again. */
const chosen = localValue('hf-store', v.picklist(STORES))
/** Without a response the browser lacks support. */
const PROBE_TIMEOUT_MS = 10_000

const VFS: Readonly<Record<LocalStore, WASQLiteVFS>> = {
  opfs: WASQLiteVFS.OPFSCoopSyncVFS,
  indexeddb: WASQLiteVFS.IDBBatchAtomicVFS,
  memory: WASQLiteVFS.InMemoryVfs,
}

/** SQLite's VFS for a store. */
export function vfsOf(store: LocalStore): WASQLiteVFS {
  return VFS[store]
}

/** Chooses the best available store: OPFS if synchronous in workers, else IndexedDB, else memory. The operator may prescribe a VFS for all devices. */
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
 * Tests in a worker, because sync access handles exist only there.
 *
 * @throws if the worker script did not load: the result would be unknown, but persisted
 */
async function hasSyncFiles(): Promise<boolean> {
  if (typeof navigator.storage?.getDirectory !== 'function') return false
  const worker = new Worker(new URL('./probe-sync-files.worker.ts', import.meta.url), { type: 'module' })
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  // On a bad connection loading the script may take longer than the test.
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
      // Some browsers throw if site data is disabled.
      resolve(false)
    }
  })
}
