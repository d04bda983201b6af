/**
 * Packs the published packages: creates `.cache/packages/<name>` from the build, and a tarball of each with `npm pack`. `--no-build` uses the existing build.
 * Prints the names of the tarballs, one per line.
 * `holdfast` has the repository's layout, so that the server finds its files in the same places. Its bundle contains the other packages; native ones remain
 * dependencies. `@holdfast/protocol` is included in `@holdfast/client`.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync, globSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { collectNotices } from './collect-notices.ts'
import { run } from './run.ts'
import { stageDocs } from './stage-docs.ts'
import { SERVER_PACKAGES, UNBUNDLED } from './server-packages.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly license: string
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = join(root, '.cache/packages')

/** The Node of all published packages: the one that the repository and its tests run on. */
const NODE = (
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly engines: { readonly node: string } }
).engines.node

/** The repository named in the provenance, which `npm publish` compares with where the release was built. */
const REPOSITORY = process.env['HOLDFAST_REPOSITORY']

/** Files and folders that the server reads at run time, besides its bundle. */
const SERVER_FILES = [
  'server/bin',
  'server/dist/cli/main.js',
  'server/dist/cli/find-bundle.js',
  'server/dist/cli/configure-v8.js',
  'server/dist/bundle',
  'server/dist/vite',
  'platform/postgres/dist/dump/dump-worker.js',
  'platform/postgres/roles',
  'platform/postgres/extensions',
  'services/functions/runtime',
  'sample/sql',
  'sample/supabase',
  'apps/workspace/dist',
  'apps/console/dist',
  'apps/docs/dist',
  ...[
    'server',
    'platform/postgres',
    'services/auth',
    'services/storage',
    'services/realtime',
    'services/functions',
    'services/sync',
    'services/console',
  ].map((path) => `${path}/migrations`),
]

/** Matches the reference to a source map, which is not packed. */
const SOURCE_MAP_COMMENT = /\n?(?:\/\/# sourceMappingURL=\S+|\/\*# sourceMappingURL=\S+ \*\/)\s*$/

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest
}

function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}

/** Fields shared by all published packages. */
function commonFields({ name, version, description, license }: Manifest, folder: string): object {
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: NODE },
    ...(REPOSITORY && { repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: folder } }),
    publishConfig: { access: 'public', provenance: true },
  }
}

/** Copies a file or folder of built code without its source maps, tests and type declarations of tests. */
function copyBuilt(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (path) =>
      !/\.(?:map|tsbuildinfo)$|\.test(?:-support)?\.|\.compile-cache/.test(path.slice(from.length)) &&
      !path.endsWith('bundled-packages.json'),
  })
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function rewrite(file: string, edit: (text: string) => string): void {
  const text = readFileSync(file, 'utf8')
  const edited = edit(text)
  if (edited !== text) writeFileSync(file, edited)
}

function copyTexts(folder: string, staged: string): void {
  cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'))
  cpSync(join(root, folder, 'README.md'), join(staged, 'README.md'))
}

/** Returns the packages outside the bundle, as their dependents declare them. */
function unbundled(field: 'dependencies' | 'optionalDependencies'): Readonly<Record<string, string>> {
  const declared = SERVER_PACKAGES.flatMap((path) => Object.entries(readManifest(path)[field] ?? {}))
  const isLeftOut = (name: string): boolean =>
    UNBUNDLED.some((pattern) => (typeof pattern === 'string' ? pattern === name : pattern.test(name)))
  return Object.fromEntries(declared.filter(([name]) => isLeftOut(name)).toSorted())
}

function stageServer(): string {
  const manifest = readManifest('server')
  const staged = join(target, 'holdfast')
  for (const path of SERVER_FILES) copyBuilt(join(root, path), join(staged, path))
  for (const file of filesIn(staged))
    if (/\.(?:js|css)$/.test(file)) rewrite(file, (text) => text.replace(SOURCE_MAP_COMMENT, '\n'))
    else if (file.endsWith('.d.ts'))
      rewrite(file, (text) => text.replace(SOURCE_MAP_COMMENT, '\n').replaceAll(SOURCE_SPECIFIER, '$1$2$3.js$2'))
  stageDumpProgram(staged)
  // Packages are built completely, so their bundle always matches the code.
  writeJson(join(staged, 'server/dist/bundle/built-from.json'), {})
  writeJson(join(staged, 'server/package.json'), { private: true, type: 'module', version: manifest.version })
  writeJson(join(staged, 'package.json'), {
    ...commonFields(manifest, 'server'),
    bin: Object.fromEntries(
      Object.entries(manifest.bin ?? {}).map(([name, path]) => [name, join('server', path).replaceAll('\\', '/')]),
    ),
    exports: {
      './vite': { types: './server/dist/vite/plugin.d.ts', default: './server/dist/vite/plugin.js' },
      './package.json': './package.json',
    },
    files: ['server', 'platform', 'services', 'sample', 'apps', 'docs', 'llms.txt', 'THIRD-PARTY-NOTICES'],
    dependencies: unbundled('dependencies'),
    optionalDependencies: unbundled('optionalDependencies'),
    peerDependencies: manifest.peerDependencies,
    peerDependenciesMeta: manifest.peerDependenciesMeta,
  })
  writeFileSync(join(staged, 'THIRD-PARTY-NOTICES'), collectNotices(root))
  copyTexts('server', staged)
  stageDocs(root, staged)
  return staged
}

/** Copies `pg_dump`'s files. As a dependency, its package would add PGlite, 27 MB of which it uses nothing. */
function stageDumpProgram(staged: string): void {
  const folder = join(staged, 'platform/postgres/dist/dump')
  const built = join(root, 'node_modules/@electric-sql/pglite-tools/dist')
  for (const file of globSync('{pg_dump.js,pg_dump.wasm,chunk-*.js}', { cwd: built }))
    copyBuilt(join(built, file), join(folder, 'program', file))
  rewrite(join(folder, 'dump-worker.js'), (text) =>
    text.replace('@electric-sql/pglite-tools/pg_dump', './program/pg_dump.js'),
  )
}

/** Matches a relative import with its source extension, which declarations keep. */
const SOURCE_SPECIFIER = /((?:from|import)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+?)\.tsx?\2/g

const PROTOCOL_SPECIFIER = /(['"])@holdfast\/protocol\1/g

function stageClient(path: string): string {
  const manifest = readManifest(path)
  const staged = join(target, manifest.name.replace('@', '').replace('/', '-'))
  copyBuilt(join(root, path, 'dist'), join(staged, 'dist'))
  const { '@holdfast/protocol': protocol, ...dependencies } = manifest.dependencies ?? {}
  if (protocol) copyBuilt(join(root, 'platform/protocol/dist'), join(staged, 'dist/protocol'))
  for (const file of filesIn(join(staged, 'dist'))) {
    const toProtocol = relative(dirname(file), join(staged, 'dist/protocol/index.js')).replaceAll('\\', '/')
    rewrite(file, (text) =>
      text
        .replace(SOURCE_MAP_COMMENT, '\n')
        .replaceAll(SOURCE_SPECIFIER, '$1$2$3.js$2')
        .replaceAll(PROTOCOL_SPECIFIER, `'${toProtocol.startsWith('.') ? toProtocol : `./${toProtocol}`}'`),
    )
  }
  writeJson(join(staged, 'package.json'), {
    ...commonFields(manifest, path),
    sideEffects: false,
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    files: ['dist'],
    dependencies,
    peerDependencies: manifest.peerDependencies,
    peerDependenciesMeta: manifest.peerDependenciesMeta,
  })
  copyTexts(path, staged)
  return staged
}

/** Stages the launcher and the app that it copies. */
function stageCreate(): string {
  const path = 'clients/create-holdfast'
  const manifest = readManifest(path)
  const staged = join(target, manifest.name)
  for (const part of ['bin', 'template']) cpSync(join(root, path, part), join(staged, part), { recursive: true })
  writeJson(join(staged, 'package.json'), {
    ...commonFields(manifest, path),
    bin: manifest.bin,
    files: ['bin', 'template'],
  })
  copyTexts(path, staged)
  return staged
}

if (!process.argv.includes('--no-build')) {
  const built = await run(process.execPath, ['scripts/build-if-stale.ts', '--with-test-support'])
  if (built !== 0) process.exit(built)
}
rmSync(target, { recursive: true, force: true })
const staged = [
  stageServer(),
  stageClient('clients/client'),
  stageClient('clients/react'),
  stageClient('clients/testing'),
  stageCreate(),
]
const { stdout } = await promisify(execFile)(
  'npm',
  ['pack', '--json', '--ignore-scripts', '--pack-destination', target, ...staged],
  { cwd: root, shell: process.platform === 'win32', maxBuffer: 64 * 1024 * 1024 },
)
for (const { filename } of JSON.parse(stdout) as readonly { readonly filename: string }[])
  console.log(join('.cache/packages', filename))
