/**
 * Checks docs/dependencies.md against the manifests, and the lock file, root manifest and launchers for install scripts, deprecations and Node requirements.
 * Exits 1 with a line per difference.
 */
import { globSync, readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const PAGE = 'docs/dependencies.md'
const WORKSPACES = [
  'package.json',
  '{platform,services,clients,apps,tests}/*/package.json',
  '{sample,server,bench}/package.json',
]

/** Returns external packages by name, with the manifests that declare them. */
function declared(): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>()
  for (const file of globSync(WORKSPACES).toSorted()) {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
    const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest
    for (const name of Object.keys({
      ...dependencies,
      ...devDependencies,
      ...peerDependencies,
      ...optionalDependencies,
    })) {
      if (name !== 'holdfast' && !name.startsWith('@holdfast/')) files.set(name, [...(files.get(name) ?? []), file])
    }
  }
  return files
}

/** Returns the names in the first column of the page's tables; a name may end in `*`. */
function described(): readonly string[] {
  const firstCells = readFileSync(PAGE, 'utf8').matchAll(/^\| ((?:`[^`]+`(?:, )?)+)/gm)
  return [...firstCells].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

interface LockedPackage {
  readonly hasInstallScript?: boolean
  readonly deprecated?: string
}

interface RootManifest {
  readonly engines: { readonly node: string }
  readonly allowScripts: Readonly<Record<string, boolean>>
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Finds problems that npm would warn about if `.npmrc` did not silence it. Install scripts require an entry in `allowScripts`. */
function lockOffences({ allowScripts }: RootManifest): readonly string[] {
  const { packages } = readJson('package-lock.json') as { readonly packages: Readonly<Record<string, LockedPackage>> }
  const entries = Object.entries(packages).map(
    ([path, entry]) => [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), entry] as const,
  )
  const scripted = new Set(entries.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name))
  return [
    ...entries.flatMap(([name, { deprecated }]) => (deprecated ? [`${name} is deprecated: ${deprecated}`] : [])),
    ...[...scripted]
      .filter((name) => !(name in allowScripts))
      .map((name) => `package.json: allowScripts does not say whether the install script of ${name} may run`),
    ...Object.keys(allowScripts)
      .filter((name) => !scripted.has(name))
      .map((name) => `package.json: allowScripts names ${name}, which has no install script`),
  ]
}

/** Launchers that must run on an old Node, with its major version. They cannot read a manifest, which may be missing. */
const LAUNCHERS = [
  'server/bin/holdfast.cjs',
  'clients/create-holdfast/bin/create-holdfast.cjs',
  'scripts/require-node.cjs',
]

function nodeOffences({ engines }: RootManifest): readonly string[] {
  return LAUNCHERS.flatMap((file) => {
    const [, major = 'none'] = /NODE_MAJOR_MIN = (\d+)/.exec(readFileSync(file, 'utf8')) ?? []
    return engines.node === `>=${major}`
      ? []
      : [`${file}: NODE_MAJOR_MIN is ${major}, package.json has ${engines.node}`]
  })
}

const rootManifest = readJson('package.json') as RootManifest
const manifests = declared()
const page = described()
const offences = [
  ...[...manifests]
    .filter(([name]) => !page.some((entry) => matchesGlob(name, entry)))
    .map(([name, files]) => `${PAGE}: ${name} is missing, which ${files.join(', ')} declares`),
  ...page
    .filter((entry) => ![...manifests.keys()].some((name) => matchesGlob(name, entry)))
    .map((entry) => `${PAGE}: ${entry} is declared by no manifest`),
  ...page.filter((entry, index) => page.indexOf(entry) !== index).map((entry) => `${PAGE}: ${entry} is there twice`),
  ...lockOffences(rootManifest),
  ...nodeOffences(rootManifest),
]

for (const offence of offences) console.error(offence)
if (offences.length > 0) process.exit(1)
console.log(`dependencies: ${manifests.size} packages, each with its reason`)
