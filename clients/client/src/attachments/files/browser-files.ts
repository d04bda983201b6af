import type { OpenFileStore } from './file-store.ts'
import { isNamed } from './is-named.ts'
import { originFiles } from './origin-files.ts'

/**
 * Keeps files in the best store that this browser has: its origin private file system, else IndexedDB (Safari before 26, private windows of Firefox), else memory,
 * where the browser keeps nothing for this site. A person whose files are in IndexedDB stays there, also when the browser learns better.
 *
 * @param folder - names the store within the origin
 */
export function browserFiles(folder = 'holdfast-files'): OpenFileStore {
  let memory: OpenFileStore | undefined
  return async (userId) => {
    const name = `${folder}/${userId}`
    if (hasWritableFiles() && !(await isDatabase(name))) {
      const store = await originFiles(folder)(userId).catch(unless('SecurityError', 'NotSupportedError'))
      if (store) return store
    }
    if (typeof indexedDB !== 'undefined') {
      const { openDatabaseFiles } = await import('./database-files.ts')
      const store = await openDatabaseFiles(name).catch(unless('SecurityError', 'InvalidStateError'))
      if (store) return store
    }
    const { memoryFiles } = await import('./memory-files.ts')
    memory ??= memoryFiles()
    return memory(userId)
  }
}

/** Its files can be written to from a page: for long, Safari's could from workers only. */
function hasWritableFiles(): boolean {
  const storage = navigator.storage as Partial<StorageManager> | undefined
  if (typeof storage?.getDirectory !== 'function' || typeof FileSystemFileHandle === 'undefined') return false
  return 'createWritable' in FileSystemFileHandle.prototype
}

async function isDatabase(wanted: string): Promise<boolean> {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === wanted)
  } catch {
    return false // a browser without this question, or without databases, has kept none
  }
}

/**
 * What a browser throws that does not let this site keep anything in a store. Any other failure must not lead to another store: what is in the first would seem to
 * be gone.
 */
function unless(...names: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!isNamed(error, ...names)) throw error
  }
}
