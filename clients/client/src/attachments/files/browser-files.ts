import type { OpenFileStore } from './file-store.ts'
import { isNamed } from './is-named.ts'
import { originFiles } from './origin-files.ts'

/**
 * Keeps files in the best available store: the origin private file system, else IndexedDB (Safari before 26, private windows of Firefox), else memory if the
 * browser stores nothing for this site. Users with files in IndexedDB stay there even after a browser update.
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

/** Whether files are writable from a page; older Safari versions support this only in workers. */
function hasWritableFiles(): boolean {
  const storage = navigator.storage as Partial<StorageManager> | undefined
  if (typeof storage?.getDirectory !== 'function' || typeof FileSystemFileHandle === 'undefined') return false
  return 'createWritable' in FileSystemFileHandle.prototype
}

async function isDatabase(wanted: string): Promise<boolean> {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === wanted)
  } catch {
    return false // a browser that cannot list databases, or has none, stored nothing
  }
}

/** Handles errors that mean the browser forbids a store to this site. On any other error, switching stores would make existing files seem lost. */
function unless(...names: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!isNamed(error, ...names)) throw error
  }
}
