import { lstatSync, readdirSync, readFileSync, type Dirent } from 'node:fs'
import { join } from 'node:path'

/** Limits of the scan: number of files and characters of each. */
const FILES_MAX = 2_000
const BYTES_MAX = 1_000_000

const SOURCE = /\.(?:[mc]?[jt]sx?|jsonc?)$/
const ADDRESS = /https:\/\/esm\.sh\/[^\s'"`)]+/g

/**
 * Finds `esm.sh` URLs that cannot be mapped by replacing a prefix: those with a query (`?target=deno`) or a build version (`/v135/`). The query configures that
 * host's build, while npm has the package itself.
 *
 * @returns the target of each; the URL itself for packages not from npm
 */
export function findEsmAddresses(directory: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const file of sourcesIn(directory)) {
    for (const [address] of readFileSync(file, 'utf8').matchAll(ADDRESS)) {
      const target = packageOf(address)
      if (target !== undefined) found[address] = target
    }
  }
  return found
}

function packageOf(address: string): string | undefined {
  const { pathname, search } = new URL(address)
  const path = pathname.replace(/^\/(?:v\d+|stable)\//, '/').replace(/^\/\*/, '/')
  if (/^\/(?:gh|jsr|pr)\//.test(path)) return address
  return search !== '' || path !== pathname ? `npm:${path}` : undefined
}

function sourcesIn(directory: string): readonly string[] {
  const sources: string[] = []
  const folders = [directory]
  for (let folder = folders.pop(); folder !== undefined && sources.length < FILES_MAX; folder = folders.pop()) {
    for (const entry of listOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') folders.push(path)
      else if (entry.isFile() && SOURCE.test(entry.name) && lstatSync(path).size <= BYTES_MAX) sources.push(path)
    }
  }
  return sources.slice(0, FILES_MAX)
}

function listOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // it was deleted meanwhile, or is optional
  }
}
