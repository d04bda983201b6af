import { readFileSync } from 'node:fs'

// Not imported, because importing initializes all exports and loads WebCrypto.
const { createHash } = process.getBuiltinModule('node:crypto')

/**
 * Finds the bundle from `scripts/bundle-server.ts`, for a fast start.
 *
 * @param folder - its location
 * @returns its module if built from exactly the last built code; otherwise run that code
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
    return undefined // there is none, or a source is missing
  }
}
