import { openWhenFree } from './open-when-free.ts'

/** A method that exists only in workers and is missing from TypeScript's window library. */
interface SyncFile extends FileSystemFileHandle {
  createSyncAccessHandle?: (this: FileSystemFileHandle, ...options: unknown[]) => Promise<unknown>
}

// SQLite's VFS gives up at the first refusal, which fails a query in the remaining tab: docs/explanation/when-a-tab-closes.md. Without OPFS, SQLite runs in
// IndexedDB with this worker.
const files: SyncFile | undefined =
  typeof FileSystemFileHandle === 'undefined' ? undefined : FileSystemFileHandle.prototype
const create = files?.createSyncAccessHandle
if (files && create) {
  files.createSyncAccessHandle = function (...options) {
    return openWhenFree(() => create.apply(this, options))
  }
}
