import type { FileStore } from '../files/file-store.ts'

/** What came of a file until the line was cut. */
export interface FetchedPart {
  /** Of its bytes in the store. */
  readonly name: string
  /** Of the version that they are of. */
  readonly etag: string
  readonly size: number
}

/**
 * Parts of files, by the id of the file, from which downloads go on. Forgotten with the page, which costs a download; their bytes are deleted with others that no
 * file names then.
 */
export type FetchedParts = Map<string, FetchedPart>

/** Deletes the parts of files of which no more is to be fetched. */
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
