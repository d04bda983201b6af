import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian's packages install daemons in a folder that is missing from the `PATH` of ordinary users. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin']

/**
 * Finds an installed server program.
 *
 * @param variable - environment variable that may contain its path
 * @returns `undefined` if it is not installed
 */
export function findDaemon(name: string, variable: string): string | undefined {
  const given = process.env[variable]
  return [...(given ? [given] : []), ...FOLDERS.map((folder) => join(folder, name))].find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
