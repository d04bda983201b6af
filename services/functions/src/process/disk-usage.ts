import { lstat, opendir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FOLDER_BYTES_MAX, FOLDER_FILES_MAX } from '../limits.ts'

/** Bytes per unit of `stat.blocks`. */
const BLOCK_BYTES = 512

/**
 * Returns whether a folder exceeds the limits for bytes or files. Counts allocated blocks, so sparse files count for their actual use. On Linux, includes
 * deleted files that the process still has open.
 */
export async function exceedsDisk(folder: string, pid: number): Promise<boolean> {
  let bytes = await deletedBytesOf(pid)
  let files = 0
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const parent = next
    const entries = await unlessGone(opendir(parent))
    if (!entries) continue
    for await (const entry of entries) {
      const path = join(parent, entry.name)
      if (entry.isDirectory()) folders.push(path)
      bytes += ((await unlessGone(lstat(path)))?.blocks ?? 0) * BLOCK_BYTES
      files += 1
      if (bytes > FOLDER_BYTES_MAX || files > FOLDER_FILES_MAX) return true
    }
  }
  return bytes > FOLDER_BYTES_MAX
}

async function deletedBytesOf(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`
  let bytes = 0
  for (const name of (await unlessGone(readdir(folder))) ?? []) {
    const found = await unlessGone(stat(join(folder, name)))
    if (found?.isFile() === true && found.nlink === 0) bytes += found.blocks * BLOCK_BYTES
  }
  return bytes
}

/** Resolves to `undefined` if the file or process no longer exists, or without `/proc`. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ESRCH' || code === 'EACCES') return undefined
    throw error
  }
}
