/**
 * Builds the server (tsc), the app (vite) and the docs site (Eleventy) if their sources are newer than the last build. `--with-test-support` also builds what
 * browser journeys and benchmarks import. Prints to stderr only, so that a following command owns stdout.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SERVER_PACKAGES } from './server-packages.ts'

interface Target {
  readonly name: string
  /** Folders and files, relative to the repository. */
  readonly sources: readonly string[]
  /** A file that every build creates. */
  readonly product: string
  /** Arguments for Node, one step at a time. */
  readonly steps: readonly (readonly string[])[]
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const cache = join(root, '.cache')

const TARGETS: readonly Target[] = [
  {
    name: 'server',
    sources: [
      ...SERVER_PACKAGES.flatMap((path) => [`${path}/src`, `${path}/tsconfig.json`]),
      'tsconfig.base.json',
      'package-lock.json',
      'scripts/bundle-server.ts',
    ],
    product: 'server/dist/bundle/built-from.json',
    steps: [['node_modules/typescript/bin/tsc', '-b', 'server'], ['scripts/bundle-server.ts']],
  },
  {
    name: 'app',
    sources: [
      ...['src', 'public', 'index.html', 'vite.config.ts'].map((path) => `apps/workspace/${path}`),
      'clients/client/src',
      'clients/react/src',
      'platform/protocol/src',
      'package-lock.json',
    ],
    product: 'apps/workspace/dist/index.html',
    steps: [['node_modules/vite/bin/vite.js', 'build', 'apps/workspace', '--logLevel', 'warn']],
  },
  {
    name: 'console',
    sources: [
      ...['src', 'public', 'index.html', 'vite.config.ts'].map((path) => `apps/console/${path}`),
      ...['src/components', 'src/hooks', 'src/lib', 'src/messages', 'src/styles'].map(
        (path) => `apps/workspace/${path}`,
      ),
      'platform/protocol/src',
      'package-lock.json',
    ],
    product: 'apps/console/dist/index.html',
    steps: [['node_modules/vite/bin/vite.js', 'build', 'apps/console', '--logLevel', 'warn']],
  },
  {
    name: 'docs',
    sources: ['docs', 'apps/docs/src', 'apps/docs/theme', 'package-lock.json'],
    product: 'apps/docs/dist/pagefind/pagefind.js',
    steps: [['apps/docs/src/build.ts']],
  },
]

/** Browser journeys, plain Node and the guide's app import built packages; Vitest imports sources and needs none of this. */
const TEST_SUPPORT: Target = {
  name: 'test support',
  sources: [
    ...[...SERVER_PACKAGES, 'clients/client', 'clients/react', 'clients/testing', 'tests/support'].flatMap((path) => [
      `${path}/src`,
      `${path}/tsconfig.json`,
    ]),
    'tsconfig.base.json',
    'package-lock.json',
  ],
  product: 'tests/support/dist/index.js',
  steps: [['node_modules/typescript/bin/tsc', '-b', 'clients/react', 'clients/testing', 'tests/support']],
}

/** Age in ms at which another build's lock counts as abandoned. */
const LOCK_LIFETIME_MS = 180_000

/** Hashes of a target's sources. Paths are relative to the repository, so copies of it have equal hashes. */
interface Fingerprint {
  /** Hash of names, sizes and modification times. */
  readonly times: string
  /** Hash of names and contents. Computed only if `times` differs. */
  contents(): string
}

function fingerprint(target: Target): Fingerprint {
  const files = target.sources.flatMap((source) => filesOf(source))
  return {
    times: hashOf(files, (file) => {
      const { size, mtimeMs } = statSync(join(root, file))
      return `${size}\0${mtimeMs}`
    }),
    contents: () => hashOf(files, (file) => readFileSync(join(root, file))),
  }
}

/** Lists all files of a source except tests, which are not part of the build. */
function filesOf(source: string): readonly string[] {
  const found = statSync(join(root, source), { throwIfNoEntry: false })
  if (!found) return []
  if (found.isDirectory())
    return readdirSync(join(root, source))
      .toSorted()
      .flatMap((name) => filesOf(`${source}/${name}`))
  return /\.test\.tsx?$/.test(source) ? [] : [source]
}

function hashOf(files: readonly string[], what: (file: string) => string | Buffer): string {
  const hash = createHash('sha1')
  for (const file of files) hash.update(`${file}\0`).update(what(file)).update('\n')
  return hash.digest('hex')
}

function stampPath(target: Target): string {
  return join(cache, `build-${target.name.replaceAll(' ', '-')}`)
}

function isFresh(target: Target): boolean {
  if (!existsSync(join(root, target.product)) || !existsSync(stampPath(target))) return false
  const [times, contents] = readFileSync(stampPath(target), 'utf8').split('\n')
  const now = fingerprint(target)
  if (times === now.times) return true
  if (contents !== now.contents()) return false
  // Same contents with different times, as in a copy or after switching branches.
  writeStamp(target, now)
  return true
}

function writeStamp(target: Target, { times, contents }: Fingerprint): void {
  mkdirSync(cache, { recursive: true })
  writeFileSync(stampPath(target), `${times}\n${contents()}`)
}

/** Serializes builds across processes. */
async function withLock(body: () => Promise<void>): Promise<void> {
  mkdirSync(cache, { recursive: true })
  const lock = join(cache, 'build.lock')
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch {
      const found = statSync(lock, { throwIfNoEntry: false })
      if (found && (Date.now() - found.mtimeMs > LOCK_LIFETIME_MS || !isAlive(readFileSync(lock, 'utf8'))))
        rmSync(lock, { force: true })
      else await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  const unlock = (): void => rmSync(lock, { force: true })
  process.once('exit', unlock)
  try {
    await body()
  } finally {
    unlock()
    process.off('exit', unlock)
  }
}

function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0)
    return true
  } catch {
    return false
  }
}

async function build(target: Target): Promise<void> {
  process.stderr.write(`building the ${target.name} …\n`)
  const { times, contents } = fingerprint(target)
  const before = contents()
  for (const step of target.steps) {
    const child = spawn(process.execPath, step, { cwd: root, stdio: ['ignore', 2, 2] })
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    if (code !== 0) {
      process.stderr.write(`the ${target.name} cannot be built\n`)
      process.exit(1)
    }
  }
  // Sources that changed during the build make the next start rebuild.
  writeStamp(target, { times, contents: () => before })
}

const targets = process.argv.includes('--with-test-support') ? [...TARGETS, TEST_SUPPORT] : TARGETS
if (!targets.every(isFresh)) {
  await withLock(async () => {
    // Another process may have completed the build while this one waited. Parallel builds use both cores.
    await Promise.all(TARGETS.filter((target) => !isFresh(target)).map(build))
    // Runs after the server's build, because its compiler also writes the server's packages.
    if (targets.includes(TEST_SUPPORT) && !isFresh(TEST_SUPPORT)) await build(TEST_SUPPORT)
  })
}
