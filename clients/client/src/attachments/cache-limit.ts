import { isEvictable, type FileEntry } from './file-state.ts'

/**
 * Which files make room: the least recently used first, those that are to be here without being opened last. What has not been sent is never
 * among them.
 *
 * @param needed - bytes that are to come; 0 to get back under the limit
 * @param isLazyOnly - spare those that are to be here without being opened
 * @returns `undefined` when everything that may go is not enough
 */
export function chooseEvicted(
  files: readonly FileEntry[],
  {
    limit,
    needed,
    isLazyOnly = false,
  }: { readonly limit: number; readonly needed: number; readonly isLazyOnly?: boolean },
): readonly FileEntry[] | undefined {
  const evictable = files.filter((file) => isEvictable(file) && file.bytesName !== undefined)
  let excess = evictable.reduce((sum, { size }) => sum + size, needed) - limit
  const candidates = evictable
    .filter(({ isEager }) => !(isLazyOnly && isEager))
    .sort((a, b) => Number(a.isEager) - Number(b.isEager) || a.usedAtMs - b.usedAtMs)
  const evicted: FileEntry[] = []
  for (const file of candidates) {
    if (excess <= 0) break
    evicted.push(file)
    excess -= file.size
  }
  return excess <= 0 ? evicted : undefined
}
