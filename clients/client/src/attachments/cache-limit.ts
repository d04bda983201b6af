import { isEvictable, type FileEntry } from './file-state.ts'

/**
 * Selects files to evict: least recently used first, eager ones last, never unsent ones.
 *
 * @param needed - bytes to make room for; 0 to return below the limit
 * @param isLazyOnly - spare eager files
 * @param spared - the newest file: even if larger than the limit, it stays until the next one arrives
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
