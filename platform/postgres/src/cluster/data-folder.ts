import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, isAbsolute, join, relative, resolve } from 'node:path'
import { dataFolderUnusable } from './errors.ts'
import { secretsPath } from './secrets.ts'

/** Keeps database and secrets out of version control. */
export const GITIGNORE = '.gitignore'

/**
 * Creates the data folder if necessary, and its `.gitignore` if the folder contains only Holdfast's files.
 *
 * @returns the real path, so that a folder has a single name
 * @throws {HoldfastError} `data_folder_unusable`
 */
export function prepareDataFolder(path: string): string {
  try {
    const absolute = resolve(path)
    if (!existsSync(absolute)) {
      mkdirSync(absolute, { recursive: true, mode: 0o700 })
      // Under root, the database's user must be able to pass through; the secrets stay readable by root only.
      if (process.getuid?.() === 0) chmodSync(absolute, 0o711)
    }
    const folder = realpathSync(absolute)
    if (isOurs(folder)) writeFileSync(join(folder, GITIGNORE), '*\n')
    return folder
  } catch (error) {
    throw dataFolderUnusable(path, error)
  }
}

/** Whether the folder contains only Holdfast's files, so git may ignore it entirely. */
function isOurs(folder: string): boolean {
  const toHere = relative(folder, process.cwd())
  if (!toHere.startsWith('..') && !isAbsolute(toHere)) return false
  const names = readdirSync(folder)
  if (names.includes(GITIGNORE)) return false
  return names.length === 0 || names.includes('postgres') || names.includes(basename(secretsPath(folder)))
}
