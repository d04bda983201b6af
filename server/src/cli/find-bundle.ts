import { readFileSync } from 'node:fs'

// Taken as it is: importing it would ask for all of its exports, and load WebCrypto.
const { createHash } = process.getBuiltinModule('node:crypto')

/**
 * Finds the bundle that `scripts/bundle-server.ts` makes, for a quick start.
 *
 * @param folder - where it would be
 * @returns its module, if it was made from exactly the code that was built last; otherwise that code is to be run
 */
export function findBundle(folder: URL): URL | undefined {
  try {
    const builtFrom = JSON.parse(readFileSync(new URL('built-from.json', folder), 'utf8')) as Record<string, string>
    const isCurrent = Object.entries(builtFrom).every(
      ([path, hash]) =>
        createHash('sha1')
          .update(readFileSync(new URL(path, folder)))
          .digest('hex') === hash,
    )
    return isCurrent ? new URL('run.js', folder) : undefined
  } catch {
    return undefined // there is none, or not all that it was made from
  }
}
