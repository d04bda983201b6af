/**
 * Checks the packages' imports against the layers of ARCHITECTURE.md (`MAY_IMPORT`), and imports between their folders against the order in
 * `folder-order.ts`; exits 1 with a line per offence.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findCircles, findUpwardImports, FOLDER_ORDER, type ImportGraph } from './folder-order.ts'

const SERVICE = ['foundation', 'protocol', 'http', 'postgres']

/** Packages of the repository that each package may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[] | 'any'>> = {
  foundation: ['protocol'],
  protocol: [],
  http: ['foundation'],
  postgres: ['foundation'],
  queue: ['foundation', 'postgres'],
  replication: ['foundation', 'postgres'],
  policy: ['foundation', 'protocol', 'postgres'],
  auth: [...SERVICE, 'queue'],
  rest: SERVICE,
  storage: SERVICE,
  realtime: [...SERVICE, 'replication', 'policy'],
  functions: [...SERVICE, 'queue'],
  sync: [...SERVICE, 'replication', 'policy'],
  console: [...SERVICE, 'policy'],
  sample: ['foundation', 'postgres'],
  holdfast: [
    ...SERVICE,
    'queue',
    'replication',
    'policy',
    'auth',
    'rest',
    'storage',
    'realtime',
    'functions',
    'sync',
    'console',
    'sample',
  ],
  client: ['protocol'],
  react: ['client'],
  testing: ['client', 'protocol', 'holdfast'],
  'create-holdfast': [],
  workspace: ['client', 'react', 'protocol'],
  'console-app': ['workspace', 'protocol'],
  docs: [],
  'test-support': 'any',
  conformance: 'any',
  fault: 'any',
  e2e: 'any',
  bench: 'any',
}

const IMPORT = /(?:from|import)\s*\(?\s*['"](@holdfast\/[a-z-]+|holdfast)(\/[^'"]*)?['"]/g
/** Imports within a package, including types: `import`, `import type`, `export … from`, `import()`. */
const RELATIVE_IMPORT = /(?:from|import)\s*\(?\s*['"](\.[^'"]*)['"]/g
const DRIVER_IMPORT = /(?:from|import)\s*\(?\s*['"]pg['"]/
const offences: string[] = []
const packages = globSync([
  'platform/*/package.json',
  'services/*/package.json',
  'sample/package.json',
  'server/package.json',
  'clients/*/package.json',
  'apps/*/package.json',
  'tests/*/package.json',
  'bench/package.json',
])

for (const file of packages) {
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<
    'dependencies' | 'peerDependencies',
    Record<string, string> | undefined
  > & { readonly name: string }
  const name = manifest.name.replace('@holdfast/', '')
  const allowed = MAY_IMPORT[name]
  if (allowed === undefined) {
    offences.push(`${file}: ${manifest.name} is not in the table of layers`)
    continue
  }
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  for (const dependency of declared) {
    if (dependency !== 'holdfast' && !dependency.startsWith('@holdfast/')) continue
    if (allowed !== 'any' && !allowed.includes(dependency.replace('@holdfast/', '')))
      offences.push(`${file}: may not depend on ${dependency}`)
  }
  for (const source of globSync(`${dirname(file)}/src/**/*.{ts,tsx}`)) {
    if (/\.test(-support)?\.tsx?$/.test(source)) continue
    const text = readFileSync(source, 'utf8')
    if (source.startsWith('services/') && DRIVER_IMPORT.test(text))
      offences.push(`${source}: may not import pg; services use what @holdfast/postgres exports`)
    for (const [, target = '', path] of text.matchAll(IMPORT)) {
      const short = target.replace('@holdfast/', '')
      if (path) offences.push(`${source}: imports a file inside ${target}`)
      if (short === name) offences.push(`${source}: imports its own package by name`)
      else if (allowed !== 'any' && !allowed.includes(short)) offences.push(`${source}: may not import ${target}`)
      else if (!declared.includes(target)) offences.push(`${source}: ${target} is not declared in ${file}`)
    }
  }
  const folder = dirname(file)
  const graph = readGraph(join(folder, 'src'))
  const upward = findUpwardImports(graph, FOLDER_ORDER[folder] ?? [])
  const found = [...upward, ...findCircles(graph)]
  offences.push(...found.map((offence) => `${folder}/src/${offence}`))
}

function readGraph(root: string): ImportGraph {
  const files = globSync('**/*.{ts,tsx}', { cwd: root }).filter((path) => !/\.test(-support)?\.tsx?$/.test(path))
  return new Map(
    files.map((path) => {
      const imports = readFileSync(join(root, path), 'utf8').matchAll(RELATIVE_IMPORT)
      return [path, [...imports].map(([, target = '']) => join(dirname(path), target))]
    }),
  )
}

for (const offence of offences) console.error(offence)
if (offences.length > 0) process.exit(1)
console.log(
  `layers: ${packages.length} packages, imports point one way, ${Object.keys(FOLDER_ORDER).length} with an order of folders`,
)
