import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import stripJsonComments from 'strip-json-comments'
import { errorMessage, HoldfastError } from '@holdfast/foundation'

type Imports = Readonly<Record<string, string>>

export interface ImportMap {
  readonly imports: Imports
  readonly scopes: Readonly<Record<string, Imports>>
}

/** Versions of the standard library whose `serve` is commonly imported: 0.100 to 0.224, with patch releases. */
const STD_VERSIONS = Array.from({ length: 125 }, (_, index) => 100 + index).flatMap((minor) =>
  [0, 1, 2, 3].map((patch) => `0.${minor}.${patch}`),
)

/** Version forms in common type imports: major only, exact, or with `^` or `~`. */
const TYPES_VERSIONS = [
  '',
  '@2',
  '@^2',
  ...[1, 2, 3, 4, 5].flatMap((minor) =>
    Array.from({ length: 10 }, (_, patch) => ['', '^', '~'].map((range) => `@${range}2.${minor}.${patch}`)).flat(),
  ),
]

/**
 * Imports available to every function. `serve` of the old standard library opens a port, so it is replaced; types are not needed at run time; `esm.sh` packages
 * and supabase-js come from npm, so they work without those hosts.
 */
export function baseImports(runtime: URL): Imports {
  const server = new URL('std-server.js', runtime).href
  const empty = new URL('empty.js', runtime).href
  const types = TYPES_VERSIONS.flatMap((version) =>
    ['', '/edge-runtime.d.ts'].map((file) => `jsr:@supabase/functions-js${version}${file}`),
  )
  return {
    'https://esm.sh/': 'npm:/',
    'https://deno.land/std/http/server.ts': server,
    ...Object.fromEntries(STD_VERSIONS.map((version) => [`https://deno.land/std@${version}/http/server.ts`, server])),
    ...Object.fromEntries(types.map((name) => [name, empty])),
    'https://esm.sh/@supabase/functions-js/src/edge-runtime.d.ts': empty,
    ...Object.fromEntries(
      // Prefixes match only URLs with web schemes, so each is listed.
      ['', '@2', '@^2'].flatMap((version) =>
        ['', '/cors'].map((file) => [
          `jsr:@supabase/supabase-js${version}${file}`,
          `npm:@supabase/supabase-js${version}${file}`,
        ]),
      ),
    ),
  }
}

/**
 * Merges the built-in import map with the function's own, which has precedence.
 *
 * @param path - an import map, `deno.json`, `deno.jsonc` or `package.json`
 * @throws {HoldfastError} `functions_import_map_invalid`
 */
export function mergeImportMap(base: Imports, path: string | undefined): ImportMap {
  if (path === undefined) return { imports: base, scopes: {} }
  const text = readFileSync(path, 'utf8')
  const own = basename(path) === 'package.json' ? parseManifest(text, path) : parseImportMap(text, path)
  return {
    imports: { ...base, ...throughBase(own.imports, base) },
    scopes: Object.fromEntries(
      Object.entries(own.scopes).map(([scope, imports]) => [scope, throughBase(imports, base)]),
    ),
  }
}

/** A registry package: name and optional version. */
const PACKAGE = /^(npm|jsr):\/?((?:@[^/]+\/)?[^/]+)$/

/**
 * Resolves the function's own imports through the built-in map, because Deno applies an import map only once. As in `deno.json`, a package also covers its
 * modules: `name` maps `name/module`.
 */
function throughBase(own: Imports, base: Imports): Imports {
  const imports: Record<string, string> = {}
  for (const [name, address] of Object.entries(own)) {
    // Deno resolves `npm:name/` only in `deno.json`; as a URL it needs a leading slash.
    const found = findIn(base, address).replace(/^(npm|jsr):(?!\/)(.+\/)$/, '$1:/$2')
    imports[name] = found
    const [, registry, pack] = PACKAGE.exec(address) ?? []
    if (registry === undefined || name.endsWith('/') || own[`${name}/`] !== undefined) continue
    const types = base[`${address}/edge-runtime.d.ts`]
    if (types !== undefined) imports[`${name}/edge-runtime.d.ts`] = types
    const [, ourRegistry = registry, ours = pack] = PACKAGE.exec(found) ?? []
    imports[`${name}/`] = `${ourRegistry}:/${ours}/`
  }
  return imports
}

function findIn(base: Imports, address: string): string {
  const exact = base[address]
  if (exact !== undefined) return exact
  const folder = Object.keys(base).find((name) => name.endsWith('/') && address.startsWith(name))
  return folder === undefined ? address : `${base[folder]}${address.slice(folder.length)}`
}

/** Converts a `package.json`'s dependencies to imports. Skips folders and URLs, which nothing would install. */
function parseManifest(text: string, path: string): ImportMap {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (error) {
    throw invalid(path, errorMessage(error))
  }
  const { dependencies, devDependencies } = recordOf(content, path)
  const versions = Object.entries({ ...recordOf(devDependencies, path), ...recordOf(dependencies, path) })
  const imports = versions.flatMap(([name, version]) => {
    const given = String(version)
    if (/^(?:npm|jsr):/.test(given)) return [[name, given]]
    return /[:/]/.test(given) ? [] : [[name, `npm:${name}@${given || '*'}`]]
  })
  return { imports: Object.fromEntries(imports) as Imports, scopes: {} }
}

/** Makes relative names and URLs absolute, because the map is used from a different location. */
export function parseImportMap(text: string, path: string): ImportMap {
  let content: unknown
  try {
    content = JSON.parse(stripJsonComments(text, { trailingCommas: true }))
  } catch (error) {
    throw invalid(path, errorMessage(error))
  }
  const root = pathToFileURL(path)
  const { imports, scopes } = recordOf(content, path)
  return {
    imports: absolute(imports, root, path),
    scopes: Object.fromEntries(
      Object.entries(recordOf(scopes, path)).map(([scope, entries]) => [
        resolveIn(scope, root),
        absolute(entries, root, path),
      ]),
    ),
  }
}

function absolute(entries: unknown, root: URL, path: string): Imports {
  return Object.fromEntries(
    Object.entries(recordOf(entries, path)).map(([name, address]) => [
      resolveIn(name, root),
      resolveIn(String(address), root),
    ]),
  )
}

function resolveIn(specifier: string, root: URL): string {
  return /^\.{0,2}\//.test(specifier) ? new URL(specifier, root).href : specifier
}

function recordOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(path, 'It is not a JSON object')
  return value as Readonly<Record<string, unknown>>
}

function invalid(path: string, detail: string): HoldfastError {
  return new HoldfastError('functions_import_map_invalid', 500, `${path} is not an import map`, { detail })
}
