import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'

/** The folder of the files of storage, in a data folder and in a backup. */
export const STORED_FILES = 'storage'

/** Parts of uploads that are not objects yet, whose clients begin again; images that are drawn again. */
const NOT_COPIED: readonly string[] = ['unfinished', 'resumable', 'images']

/**
 * Copies stored files that the backup does not have yet. A version's bytes never change, so this may be called before and after the database is backed up: together
 * they have the bytes of every row of the backup, but for a version that came and went in between.
 *
 * @param from - the folder of the files, which need not be there
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

/** A file that goes while the folder is copied was deleted or replaced: its row has gone, too. */
function copyUnlessGone(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
