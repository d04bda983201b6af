import { readdirSync, realpathSync, statSync, type Dirent } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { DENIED_PATHS_MAX } from '../limits.ts'

/** A symbolic link that functions must not follow. */
export interface DeniedLink {
  readonly path: string
  readonly reason: string
}

export interface DeniedPaths {
  /** Files, links and folders that functions must not read. */
  readonly paths: readonly string[]
  /** Those links among them whose target exists. */
  readonly links: readonly DeniedLink[]
}

interface Found {
  readonly denied: string[]
  readonly links: string[]
}

/**
 * Finds everything in the functions folder that functions must not read: dotenv files, `node_modules`, and symbolic links that lead outside or to something
 * denied. Deno checks paths before resolving links, so the links themselves must be denied.
 *
 * @param envFile - the secrets file, wherever it is
 * @throws {HoldfastError} `functions_too_many_denied_paths`
 */
export function findDeniedPaths(directory: string, envFile: string): DeniedPaths {
  const root = resolveLink(directory)
  const found: Found = { denied: [envFile, join(directory, '.env')], links: [] }
  if (root !== undefined) collect(directory, found)
  const inRoot = (path: string): string =>
    root !== undefined && isWithin(path, directory) ? join(root, relative(directory, path)) : path
  // Link targets are real paths, while the folder itself may be reached through a link.
  const guarded = [...found.denied, ...found.links].map(inRoot)
  const realEnvFile = resolveLink(envFile)
  if (realEnvFile !== undefined) guarded.push(realEnvFile)
  const paths = new Set(found.denied)
  const links: DeniedLink[] = []
  for (const path of found.links) {
    const target = resolveLink(path)
    const reason = target === undefined || root === undefined ? undefined : reasonToDeny(target, root, guarded)
    if (target === undefined || reason !== undefined) paths.add(path)
    if (reason !== undefined) links.push({ path, reason })
  }
  if (paths.size > DENIED_PATHS_MAX) throw tooMany(directory)
  return { paths: [...paths], links }
}

function collect(folder: string, found: Found): void {
  for (const entry of listOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.env') || entry.name === 'node_modules') found.denied.push(path)
    else if (entry.isSymbolicLink()) found.links.push(path)
    else if (entry.isDirectory()) collect(path, found)
  }
}

/** Returns why a link must not be followed, or `undefined` if it leads to something that functions may read. */
function reasonToDeny(target: string, root: string, guarded: readonly string[]): string | undefined {
  if (!isWithin(target, root)) return `leads to ${target}, outside the folder of functions`
  if (guarded.some((path) => isWithin(target, path))) return `leads to ${target}, which functions must not read`
  // A linked folder gives every denied path in it a second name, and circular links infinitely many.
  const inside = statSync(target).isDirectory() ? guarded.find((path) => isWithin(path, target)) : undefined
  return inside === undefined ? undefined : `leads to ${target}, which contains ${inside}`
}

/** Returns whether a path is a folder or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

function resolveLink(path: string): string | undefined {
  return unlessOutOfReach(() => realpathSync(path))
}

function listOf(folder: string): readonly Dirent[] {
  return unlessOutOfReach(() => readdirSync(folder, { withFileTypes: true })) ?? []
}

const OUT_OF_REACH: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES']

function unlessOutOfReach<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (OUT_OF_REACH.includes((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}

function tooMany(directory: string): HoldfastError {
  return new HoldfastError('functions_too_many_denied_paths', 500, `${directory} has too many links and dotenv files`, {
    detail: `Deno accepts at most ${DENIED_PATHS_MAX} denied paths.`,
    hint: 'Remove links that lead outside, and unneeded dotenv files.',
  })
}
