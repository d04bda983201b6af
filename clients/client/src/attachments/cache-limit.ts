import { isEvictable, type FileEntry } from './file-state.ts'

/**
 * Which files make room: the least recently used first, those that are to be here without being opened last. What has not been sent is never
 * among them.
 *
 * @param needed - bytes that are to come; 0 to get back under the limit
 * @param isLazyOnly - spare those that are to be here without being opened
 * @param spared - the file that came last: one that is larger than the limit stays until the next one comes, or it would come and go without an end
 * @returns `undefined` when everything that may go is not enough
 */
export function chooseEvicted(
  files: readonly FileEntry[],
  {
    limit,
    needed,
    isLazyOnly = false,
    spared,
  }: { readonly limit: number; readonly needed: number; readonly isLazyOnly?: boolean; readonly spared?: string },
): readonly FileEntry[] | undefined {
  const evictable = files.filter((file) => isEvictable(file) && file.bytesName !== undefined)
  let excess = evictable.reduce((sum, { size }) => sum + size, needed) - limit
  const candidates = evictable
    .filter(({ id, isEager }) => !(isLazyOnly && isEager) && id !== spared)
    .sort((a, b) => Number(a.isEager) - Number(b.isEager) || a.usedAtMs - b.usedAtMs)
  const evicted: FileEntry[] = []
  for (const file of candidates) {
    if (excess <= 0) break
    evicted.push(file)
    excess -= file.size
  }
  return excess <= 0 || spared !== undefined ? evicted : undefined
}
