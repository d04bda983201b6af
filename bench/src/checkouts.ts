import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout that this file is in. */
const root = fileURLToPath(new URL('../../', import.meta.url))

/** A built server that the benchmarks can start. */
export interface Built {
  /** Name in the output: the requested revision and its commit. */
  readonly name: string
  readonly serverMain: string
}

/**
 * Builds a commit in a worktree of its own under `.cache/bench`, where later comparisons reuse it. `.` means this checkout in its current state.
 *
 * @throws when there is no such commit, or when the build fails
 */
export function buildCheckout(revision: string): Built {
  const serverMain = 'server/dist/cli/main.js'
  // `npm run bench` has built it.
  if (revision === '.') return { name: 'this checkout', serverMain: join(root, serverMain) }
  const commit = git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`)
  const path = join(root, '.cache/bench', commit.slice(0, 12))
  if (!existsSync(path)) {
    git('worktree', 'prune')
    git('worktree', 'add', '--detach', path, commit)
  }
  if (!existsSync(join(path, 'node_modules'))) install(path)
  execFileSync(process.execPath, ['scripts/build-if-stale.ts'], { cwd: path, stdio: ['ignore', 2, 2] })
  return { name: `${revision} (${commit.slice(0, 8)})`, serverMain: join(path, serverMain) }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

/** Links the packages of this checkout and copies its builds if both have the same lock file, otherwise installs them. */
function install(path: string): void {
  const lockOf = (checkout: string): string => readFileSync(join(checkout, 'package-lock.json'), 'utf8')
  if (lockOf(path) !== lockOf(root)) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: path, stdio: ['ignore', 2, 2] })
    return
  }
  linkPackages(path, '.')
  for (const name of readdirSync(join(root, '.cache')))
    if (name.startsWith('build-')) copyBuild(path, join('.cache', name))
  for (const folder of ['platform', 'services', 'clients', 'tests', 'apps', '.']) {
    for (const name of readdirSync(join(path, folder))) {
      const manifest = join(path, folder, name, 'package.json')
      if (!existsSync(manifest) || name === 'node_modules') continue
      // A workspace package may have dependencies in versions of its own.
      linkPackages(path, join(folder, name))
      copyBuild(path, join(folder, name, 'dist'))
      const { name: packageName } = JSON.parse(readFileSync(manifest, 'utf8')) as { name: string }
      // Packages of the repository are linked to those of the worktree.
      if (packageName.startsWith('@holdfast/'))
        symlinkSync(join(path, folder, name), join(path, 'node_modules', packageName))
    }
  }
}

/** Copies a build, so that only what differs is built again. */
function copyBuild(path: string, build: string): void {
  const ours = join(root, build)
  if (existsSync(ours)) cpSync(ours, join(path, build), { recursive: true, preserveTimestamps: true })
}

/** Links the dependencies that npm installed for one package of this checkout into the same package at `path`. */
function linkPackages(path: string, workspace: string): void {
  const ours = join(root, workspace, 'node_modules')
  if (!existsSync(ours)) return
  const theirs = join(path, workspace, 'node_modules')
  mkdirSync(join(theirs, '@holdfast'), { recursive: true })
  for (const name of readdirSync(ours)) if (name !== '@holdfast') symlinkSync(join(ours, name), join(theirs, name))
}
