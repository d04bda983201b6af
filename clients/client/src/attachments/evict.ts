import { DeviceFull } from '../local-write.ts'
import type { FileEntry } from './file-state.ts'
import type { FileTable } from './file-table.ts'
import type { FileStore } from './files/file-store.ts'

/**
 * Deletes bytes that can be fetched again. On a full device the entry cannot be written first, so the bytes are deleted first; they may be missing without
 * loss.
 *
 * @throws {DeviceFull} if there is still no room for the entries; the next start will find the bytes missing
 */
export async function evict(
  { table, store }: { readonly table: FileTable; readonly store: FileStore },
  files: readonly FileEntry[],
): Promise<void> {
  const unwritten: string[] = []
  for (const { id, bytesName } of files) {
    if (bytesName === undefined) continue
    try {
      if (!(await table.apply(id, { kind: 'evicted' }))) continue
    } catch (error) {
      if (!(error instanceof DeviceFull)) throw error
      unwritten.push(id)
    }
    await store.remove(bytesName)
  }
  for (const id of unwritten) await table.apply(id, { kind: 'evicted' })
}
