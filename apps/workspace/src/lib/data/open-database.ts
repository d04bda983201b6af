import type { OpenDatabase } from '@holdfast/client'
import { PowerSyncDatabase } from '@powersync/web'
import { create } from 'zustand'
import { chooseStore, type LocalStore, vfsOf } from './choose-store.ts'

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
  return new PowerSyncDatabase({
    schema,
    database: { dbFilename: fileName.replace(/\.db$/, `-${store}.db`), vfs: vfsOf(store) },
  })
}
