import { openWhenFree } from './open-when-free.ts'

/** The method that only workers have, and that TypeScript's window library does not. */
interface SyncFile extends FileSystemFileHandle {
  createSyncAccessHandle?: (this: FileSystemFileHandle, ...options: unknown[]) => Promise<unknown>
}

// SQLite's file system gives up at the first refusal, and the query of the tab that stays fails: docs/explanation/when-a-tab-closes.md.
// A browser without private files has SQLite in IndexedDB, with this worker.
const files: SyncFile | undefined =
  typeof FileSystemFileHandle === 'undefined' ? undefined : FileSystemFileHandle.prototype
const create = files?.createSyncAccessHandle
if (files && create) {
  files.createSyncAccessHandle = function (...options) {
    return openWhenFree(() => create.apply(this, options))
  }
}
