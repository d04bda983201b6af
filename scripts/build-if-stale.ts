/**
 * Builds the server (tsc) and the app (vite) when their sources are newer than the last build, and says nothing when they are not. `--with-test-support` also
 * builds what browser journeys and benchmarks import. All output goes to stderr, so that a command after it owns stdout.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Target {
  readonly name: string
  /** Folders and files, relative to the repository. */
  readonly sources: readonly string[]
  /** Exists after every build. */
  readonly product: string
  readonly command: readonly [string, ...string[]]
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const cache = join(root, '.cache')

const SERVER_PACKAGES = [
  'platform/foundation',
  'platform/protocol',
  'platform/http',
  'platform/postgres',
  'platform/replication',
  'platform/policy',
  'services/auth',
  'services/rest',
  'services/sync',
  'server',
]

const TARGETS: readonly Target[] = [
  {
    name: 'server',
    sources: [
      ...SERVER_PACKAGES.flatMap((path) => [`${path}/src`, `${path}/tsconfig.json`]),
      'tsconfig.base.json',
      'package-lock.json',
    ],
    product: 'server/dist/cli/main.js',
    command: [process.execPath, 'node_modules/typescript/bin/tsc', '-b', 'server'],
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
    command: [process.execPath, 'node_modules/vite/bin/vite.js', 'build', 'apps/workspace', '--logLevel', 'warn'],
  },
]

/** Playwright, plain Node and the app of the guide resolve packages to their build; Vitest reads sources and needs none of this. */
const TEST_SUPPORT: Target = {
  name: 'test support',
  sources: [
    ...[...SERVER_PACKAGES, 'clients/client', 'clients/react', 'tests/support'].flatMap((path) => [
      `${path}/src`,
      `${path}/tsconfig.json`,
    ]),
    'tsconfig.base.json',
    'package-lock.json',
  ],
  product: 'tests/support/dist/index.js',
  command: [process.execPath, 'node_modules/typescript/bin/tsc', '-b', 'clients/react', 'tests/support'],
}

/** Milliseconds that another build may take before its lock counts as left behind. */
const LOCK_LIFETIME_MS = 180_000

/** What the sources look like: names, sizes and times of change. No contents are read. */
function fingerprint(target: Target): string {
  const hash = createHash('sha1')
  for (const source of target.sources) addToHash(hash, join(root, source))
  return hash.digest('hex')
}

function addToHash(hash: ReturnType<typeof createHash>, path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return
  if (found.isDirectory()) {
    for (const name of readdirSync(path)) addToHash(hash, join(path, name))
    // Tests are not part of what is built.
  } else if (!/\.test\.tsx?$/.test(path)) {
    hash.update(`${path}\0${found.size}\0${found.mtimeMs}\n`)
  }
}

function stampPath(target: Target): string {
  return join(cache, `build-${target.name.replaceAll(' ', '-')}`)
}

function isFresh(target: Target): boolean {
  if (!existsSync(join(root, target.product)) || !existsSync(stampPath(target))) return false
  return readFileSync(stampPath(target), 'utf8') === fingerprint(target)
}

/** Runs one build at a time, whoever starts it. */
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
  const before = fingerprint(target)
  const [command, ...commandArguments] = target.command
  const child = spawn(command, commandArguments, { cwd: root, stdio: ['ignore', 2, 2] })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) {
    process.stderr.write(`the ${target.name} cannot be built\n`)
    process.exit(1)
  }
  // What changed while it was built makes the next start build again.
  writeFileSync(stampPath(target), before)
}

const targets = process.argv.includes('--with-test-support') ? [...TARGETS, TEST_SUPPORT] : TARGETS
if (!targets.every(isFresh)) {
  await withLock(async () => {
    // Another process may have built in the meantime. Two builds at once are faster on two cores.
    await Promise.all(TARGETS.filter((target) => !isFresh(target)).map(build))
    // Its compiler writes the server's packages too, so it runs after the server's.
    if (targets.includes(TEST_SUPPORT) && !isFresh(TEST_SUPPORT)) await build(TEST_SUPPORT)
  })
}
