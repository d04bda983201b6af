/** Ensures that Chromium is installed for the browser tests, from the distribution's package, because test tools' browser builds are not packages. */
import { findProgram, installPackages } from './installed-program.ts'

const CANDIDATES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

function findChromium(): string | undefined {
  return CANDIDATES.map(findProgram).find((path) => path !== undefined)
}

/** @returns the path of the program to start */
export async function ensureChromium(): Promise<string> {
  const given = process.env['CHROMIUM_PATH']
  if (given) return given
  const found = findChromium()
  if (found) return found
  await installPackages(['chromium', 'fonts-liberation'])
  const installed = findChromium()
  if (installed) return installed
  throw new Error(
    'The browser tests need Chromium. Install it (Debian and Ubuntu: sudo apt-get install chromium) or set CHROMIUM_PATH to a Chromium or Chrome.',
  )
}
