import type { FileStore } from '../files/file-store.ts'

/** Downloaded part of a file. */
export interface FetchedPart {
  /** Name in the store. */
  readonly name: string
  /** ETag of the version it belongs to. */
  readonly etag: string
  readonly size: number
}

/** Parts by file id, from which downloads resume. Kept in memory only; after a reload the bytes are deleted as unreferenced. */
export type FetchedParts = Map<string, FetchedPart>

/** Deletes the parts of files that are no longer downloaded. */
export async function dropParts(
  parts: FetchedParts,
  store: FileStore,
  isWanted: (id: string) => boolean,
): Promise<void> {
  for (const id of parts.keys()) if (!isWanted(id)) await dropPart(parts, store, id)
}

export async function dropPart(parts: FetchedParts, store: FileStore, id: string): Promise<void> {
  const part = parts.get(id)
  if (!part) return
  parts.delete(id)
  await store.remove(part.name)
}
