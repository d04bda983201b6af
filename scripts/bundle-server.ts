/**
 * Bundles the built server and its packages into a few files, starting with `server/dist/bundle/run.js`, which load in a quarter of the time of some 1,900
 * modules. Run after `tsc -b server`. `server/src/cli/find-bundle.ts` uses the bundle only if it matches the built code.
 */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { SERVER_PACKAGES, UNBUNDLED } from './server-packages.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bundle = join(root, 'server/dist/bundle')

/** Modules without side effects. */
const PURE_MODULES = /^((platform|services)[\\/][^\\/]+|sample|node_modules[\\/]@tus[\\/][^\\/]+)[\\/]dist[\\/]/

/** The exports of `platform/postgres/src/connection/driver-crypto.ts`. */
const DRIVER_CRYPTO = [
  'deriveKey',
  'hashByName',
  'hmacSha256',
  'md5',
  'postgresMd5PasswordHash',
  'randomBytes',
  'sha256',
]

/** Build records of all packages and the installed packages: a bundle is valid only for exactly these. */
const BUILT_FROM = [...SERVER_PACKAGES.map((path) => `${path}/dist/.tsbuildinfo`), 'package-lock.json']

/** Preserves each module's URL in the bundle, because modules locate files relative to themselves (migrations, the sample, the app). */
const ownUrls: Plugin = {
  name: 'own-urls',
  transform(code, id) {
    if (!code.replaceAll(/\/\*[\s\S]*?\*\//g, '').includes('import.meta.')) return undefined // ignoring comments
    if (id.includes('/node_modules/') || /import\.meta\.(?!url\b)/.test(code))
      throw new Error(`${id} uses import.meta in a way that a bundle does not keep`)
    const path = relative(bundle, id).replaceAll('\\', '/')
    return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`)
  },
}

/**
 * Escapes characters beyond ASCII, because a source with a single one decodes slowly and uses two bytes per character in memory. Call it on the written
 * files: the bundler prints a chunk again after all plugins, unescaped.
 */
function toAscii(code: string): string {
  return code.replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Replaces texts in a module. @throws if one is missing, as after an update of the package, so that no optimization is lost silently */
function replaceTexts(code: string, id: string, texts: readonly (readonly [found: string, put: string])[]): string {
  return texts.reduce((changed, [found, put]) => {
    if (!changed.includes(found)) throw new Error(`${id} has no such text any more: ${found}`)
    return changed.replaceAll(found, put)
  }, code)
}

/** Defers work that packages do on import, or for each route and connection, although a start does not need it. */
const lighterPackages: Plugin = {
  name: 'lighter-packages',
  transform(code, id) {
    // Loaded eagerly by Fastify, HTTP/2 and TLS take longer than Fastify itself.
    if (/[\\/]fastify[\\/]lib[\\/]server\.js$/.test(id))
      return replaceTexts(code, id, [
        ["const http2 = require('node:http2')\n", ''],
        ['http2.create', "require('node:http2').create"],
        ["const https = require('node:https')\n", ''],
        ['https.create', "require('node:https').create"],
      ])
    // find-my-way would otherwise compile a comparison function from text for each path segment.
    if (/[\\/]find-my-way[\\/]lib[\\/]node\.js$/.test(id))
      return replaceTexts(code, id, [
        [
          "return new Function('path', 'i', `'use strict'\\nreturn ${lines.join(' && ')}`)",
          'return (path, i) => path.startsWith(prefix, i)',
        ],
      ])
    return undefined
  },
}

/** Replaces the driver's cryptography for logins, because every connection would derive the same keys again in eight threadpool jobs. */
const driverCrypto: Plugin = {
  name: 'driver-crypto',
  load(id) {
    if (!/[\\/]pg[\\/]lib[\\/]crypto[\\/]utils\.js$/.test(id)) return undefined
    const known = Object.keys(createRequire(import.meta.url)(id) as object).toSorted()
    const ours = join(root, 'platform/postgres/dist/connection/driver-crypto.js')
    if (known.some((name) => !DRIVER_CRYPTO.includes(name))) throw new Error(`${id} exports more: ${known.join(', ')}`)
    return `export { ${DRIVER_CRYPTO.join(', ')} } from ${JSON.stringify(ours)}`
  },
}

/** An import of a Node module, as printed by the bundler. */
const NODE_IMPORT =
  /^import (?:(?<whole>[^{}*"']+?)(?:, )?)?(?:\{ (?<names>[^}]+) \})?(?:\* as (?<space>\S+))?(?: from )?"(?<module>node:[^"]+)";$/gm

/**
 * Imports Node modules as a whole. A named import accesses every export and so loads everything Node loads lazily: `fetch` with `node:http`, WebCrypto with
 * `node:crypto`.
 */
const wholeBuiltins: Plugin = {
  name: 'whole-builtins',
  renderChunk(code) {
    const replaced = code.replaceAll(NODE_IMPORT, (...match) => {
      const { whole, names, space, module } = match.at(-1) as Record<string, string | undefined>
      const taken = `/* @__PURE__ */ globalThis.process.getBuiltinModule(${JSON.stringify(module)})`
      const left = [whole, space, names && `{ ${names.replaceAll(' as ', ': ')} }`].filter((one) => one !== undefined)
      return left.length === 0 ? '' : `const ${left.map((one) => `${one} = ${taken}`).join(', ')};`
    })
    const kept = /^import .*"node:.*$/m.exec(replaced)
    if (kept) throw new Error(`this import of a module of Node is not understood: ${kept[0]}`)
    return replaced
  },
}

const build = await rolldown({
  input: { run: join(root, 'server/dist/cli/run.js') },
  cwd: root,
  platform: 'node',
  external: [/^node:/, ...UNBUNDLED],
  plugins: [ownUrls, lighterPackages, driverCrypto, wholeBuiltins],
  // Packages are imported through their index. Importing one file must not load the rest.
  treeshake: { moduleSideEffects: (id) => !PURE_MODULES.test(relative(root, id)) },
})
rmSync(bundle, { recursive: true, force: true })
// Deletes the compile cache of earlier bundles. Their names contain hashes, so it would grow forever.
rmSync(join(root, 'server/dist/.compile-cache'), { recursive: true, force: true })
const { output } = await build.write({
  dir: bundle,
  format: 'es',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
})
await build.close()
for (const { type, fileName } of output) {
  const path = join(bundle, fileName)
  if (type === 'chunk') writeFileSync(path, toAscii(readFileSync(path, 'utf8')))
}

/** Folders of external packages in the bundle. `scripts/pack.ts` adds their licences. */
const bundled = new Set(
  output
    .flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
    .map((id) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(relative(root, id).replaceAll('\\', '/'))?.[0])
    .filter((folder) => folder !== undefined),
)
writeFileSync(join(bundle, 'bundled-packages.json'), `${JSON.stringify([...bundled].toSorted(), null, 1)}\n`)
const hashes = BUILT_FROM.map((path) => {
  const hash = createHash('sha1')
    .update(readFileSync(join(root, path)))
    .digest('hex')
  return [relative(bundle, join(root, path)).replaceAll('\\', '/'), hash]
})
writeFileSync(join(bundle, 'built-from.json'), `${JSON.stringify(Object.fromEntries(hashes), null, 1)}\n`)
