/**
 * The two steps of a release; CONTRIBUTING.md describes the others.
 * `version 0.2.0` sets the version in all manifests and the lock file. `publish` packs, checks, and prints what it would publish. With `--yes` it publishes
 * with provenance: only in a forge's job with an identity token (`id-token: write`), from a clean checkout of the tagged commit.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'

type Manifest = Record<string, unknown> & { readonly name: string; version?: string }

const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
const MANIFESTS = [
  'package.json',
  '{platform,services,clients,apps,tests}/*/package.json',
  '{sample,server,bench}/package.json',
]

/** The template of `npm create holdfast`, which depends on the packages of its release. */
const TEMPLATE = 'clients/create-holdfast/template/package.json'

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest
}

function setVersion(version: string): void {
  if (!/^0\.\d+\.\d+(?:-[a-z]+\.\d+)?$/.test(version)) fail(`"${version}" is no version before 1.0, such as 0.2.0.`)
  const files = globSync(MANIFESTS).toSorted()
  const own = new Set(files.map((file) => readManifest(file).name))
  for (const file of [...files, TEMPLATE]) {
    const manifest = readManifest(file)
    if (file !== TEMPLATE) manifest.version = version
    for (const field of FIELDS) {
      const declared = manifest[field] as Record<string, string> | undefined
      for (const name of Object.keys(declared ?? {})) if (declared && own.has(name)) declared[name] = version
    }
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
  }
  npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund')
}

function npm(...args: readonly string[]): void {
  execFileSync('npm', args, { stdio: ['ignore', 'inherit', 'inherit'], shell: process.platform === 'win32' })
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim()
}

/** Checks the preconditions of publishing, which cannot be undone. */
function checkRelease(version: string): void {
  const others = globSync(MANIFESTS).filter((file) => readManifest(file).version !== version)
  if (others.length > 0) fail(`These have another version than ${version}: ${others.join(', ')}`)
  if (!readFileSync('CHANGELOG.md', 'utf8').includes(`\n## [${version}]`))
    fail(`CHANGELOG.md has no section for ${version}.`)
  if (git('status', '--porcelain') !== '') fail('The checkout has changes that are not committed.')
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)) fail(`HEAD has no tag v${version}.`)
}

function publish(isMeant: boolean): void {
  const version = readManifest('package.json').version ?? ''
  checkRelease(version)
  const { env } = process
  const repository =
    env['HOLDFAST_REPOSITORY'] ??
    env['CI_PROJECT_URL'] ??
    (env['GITHUB_REPOSITORY'] && `${env['GITHUB_SERVER_URL']}/${env['GITHUB_REPOSITORY']}`)
  const hasIdentity = Boolean(env['ACTIONS_ID_TOKEN_REQUEST_URL'] ?? env['SIGSTORE_ID_TOKEN'])
  if (isMeant && (!repository || !hasIdentity))
    fail('Provenance needs a job of a forge with an identity token. Run this there, not by hand.')
  const packed = execFileSync(process.execPath, ['scripts/pack.ts'], {
    encoding: 'utf8',
    env: { ...env, ...(repository && { HOLDFAST_REPOSITORY: repository }) },
  })
  const channel = version.includes('-') ? 'next' : 'latest'
  // Publishes the server last, so that the kit in its guides is already available.
  for (const tarball of packed.trim().split('\n').toReversed()) {
    if (isMeant) npm('publish', tarball, '--provenance', '--access', 'public', '--tag', channel)
    else console.log(`would publish ${tarball} as ${channel}`)
  }
}

const [step, argument = ''] = process.argv.slice(2)
if (step === 'version') setVersion(argument)
else if (step === 'publish') publish(argument === '--yes')
else fail('Usage: node scripts/release.ts version 0.2.0 | publish [--yes]')
