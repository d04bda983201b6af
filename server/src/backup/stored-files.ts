import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'

/** Folder of stored files, in data folders and backups. */
export const STORED_FILES = 'storage'

/** Excludes parts of unfinished uploads, whose clients restart, and rendered images. */
const NOT_COPIED: readonly string[] = ['unfinished', 'resumable', 'images']

/**
 * Copies stored files missing in the backup. Versions are immutable, so this runs before and after backing up the database: together they cover every row,
 * except versions deleted in between.
 *
 * @param from - file folder; may not exist
 */
export function copyStoredFiles(from: string, to: string): void {
  for (const entry of entriesOf(from)) {
    if (NOT_COPIED.includes(entry.name)) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    mkdirSync(to, { recursive: true, mode: 0o700 })
    if (entry.isDirectory()) copyStoredFiles(source, target)
    else if (!existsSync(target)) copyUnlessGone(source, target)
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

/** A file deleted during the copy was deleted or replaced, and its row with it. */
function copyUnlessGone(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
