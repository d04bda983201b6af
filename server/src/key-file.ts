import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Returns the key in a file; `undefined` if there is none. */
export function readKeyFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns the key in a file, or stores a new one with mode 0600, atomically. Creates the folder if necessary. */
export function ensureKeyFile(path: string, create: () => string): string {
  const known = readKeyFile(path)
  if (known !== undefined) return known
  const key = create()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, `${key}\n`, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
  return key
}
