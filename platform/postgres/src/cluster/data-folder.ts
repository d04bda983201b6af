import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, isAbsolute, join, relative, resolve } from 'node:path'
import { dataFolderUnusable } from './errors.ts'
import { secretsPath } from './secrets.ts'

/** Keeps the database and its secrets out of version control. */
export const GITIGNORE = '.gitignore'

/**
 * Creates the data folder if it does not exist, and its `.gitignore` if the folder holds nothing but our files.
 *
 * @returns the real path, so that one folder has one name
 * @throws {HoldfastError} `data_folder_unusable`
 */
export function prepareDataFolder(path: string): string {
  try {
    const absolute = resolve(path)
    if (!existsSync(absolute)) {
      mkdirSync(absolute, { recursive: true, mode: 0o700 })
      // Root hands the database to another user, who has to pass through; the secrets beside it stay readable by root only.
      if (process.getuid?.() === 0) chmodSync(absolute, 0o711)
    }
    const folder = realpathSync(absolute)
    if (isOurs(folder)) writeFileSync(join(folder, GITIGNORE), '*\n')
    return folder
  } catch (error) {
    throw dataFolderUnusable(path, error)
  }
}

/** Whether git may ignore the whole folder. A project that keeps its data beside its files has to say itself what git ignores. */
function isOurs(folder: string): boolean {
  const toHere = relative(folder, process.cwd())
  if (!toHere.startsWith('..') && !isAbsolute(toHere)) return false
  const names = readdirSync(folder)
  if (names.includes(GITIGNORE)) return false
  return names.length === 0 || names.includes('postgres') || names.includes(basename(secretsPath(folder)))
}
