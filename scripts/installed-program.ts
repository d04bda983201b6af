import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './run.ts'

/** Folder of daemons, which is missing in `PATH` of ordinary users. */
const DAEMONS = '/usr/sbin'

/** @returns the full path of a program in `PATH` */
export function findProgram(name: string): string | undefined {
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), DAEMONS]) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // not in this folder
    }
  }
  return undefined
}

/** Installs packages of Debian or Ubuntu if this process may. Whether it worked shows in what is found afterwards. */
export async function installPackages(packages: readonly string[]): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !findProgram('apt-get')) return
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '-qq'], quiet)
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quiet)
}
