/** Compares docs/dependencies.md with what the manifests declare; exits 1 with a line per package that only one of them names. */
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

/** External packages by name, each with the manifests that declare it. */
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

/** Names in the first column of the page's tables; a name may end in `*`. */
function described(): readonly string[] {
  const firstCells = readFileSync(PAGE, 'utf8').matchAll(/^\| ((?:`[^`]+`(?:, )?)+)/gm)
  return [...firstCells].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

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
]

for (const offence of offences) console.error(offence)
if (offences.length > 0) process.exit(1)
console.log(`dependencies: ${manifests.size} packages, each with its reason`)
