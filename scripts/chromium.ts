/** Makes sure that a Chromium is there for the browser tests: the distribution's package, since browser builds of test tools are no packages. */
import { isInstalled, run } from './run.ts'

const CANDIDATES = ['chromium', 'chromium-browser', 'google-chrome', '/usr/bin/chromium']

/** @returns the program to start */
export async function ensureChromium(): Promise<string> {
  const given = process.env['CHROMIUM_PATH']
  if (given) return given
  const found = CANDIDATES.find(isInstalled)
  if (found) return found
  if (process.platform === 'linux' && process.getuid?.() === 0 && isInstalled('apt-get')) {
    const quiet = { DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update', '-qq'], quiet)
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-liberation'], quiet)
    if (isInstalled('chromium')) return 'chromium'
  }
  throw new Error(
    'The browser tests need Chromium. Install it (Debian and Ubuntu: sudo apt-get install chromium) or set CHROMIUM_PATH to a Chromium or Chrome.',
  )
}
