/** Ensures that Chromium is installed for the browser tests, from the distribution's package, because test tools' browser builds are not packages. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './run.ts'

const CANDIDATES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** @returns the full path of a program in `PATH` */
function findProgram(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
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

function findChromium(): string | undefined {
  return CANDIDATES.map(findProgram).find((path) => path !== undefined)
}

/** @returns the path of the program to start */
export async function ensureChromium(): Promise<string> {
  const given = process.env['CHROMIUM_PATH']
  if (given) return given
  const found = findChromium()
  if (found) return found
  if (process.platform === 'linux' && process.getuid?.() === 0 && findProgram('apt-get')) {
    const quiet = { DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update', '-qq'], quiet)
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-liberation'], quiet)
    const installed = findChromium()
    if (installed) return installed
  }
  throw new Error(
    'The browser tests need Chromium. Install it (Debian and Ubuntu: sudo apt-get install chromium) or set CHROMIUM_PATH to a Chromium or Chrome.',
  )
}
