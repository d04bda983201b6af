import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import stripJsonComments from 'strip-json-comments'
import { errorMessage, HoldfastError } from '@holdfast/foundation'

type Imports = Readonly<Record<string, string>>

export interface ImportMap {
  readonly imports: Imports
  readonly scopes: Readonly<Record<string, Imports>>
}

/** Versions of the standard library whose `serve` examples import: 0.100 to 0.224, with what was repaired in some. */
const STD_VERSIONS = Array.from({ length: 125 }, (_, index) => 100 + index).flatMap((minor) =>
  [0, 1, 2, 3].map((patch) => `0.${minor}.${patch}`),
)

/**
 * What every function finds. `serve` of the old standard library opens a port itself, so it has to be ours; types are not needed at run time; packages of
 * `esm.sh` and supabase-js come from npm, so that they work without those hosts.
 *
 * @param runtime - the folder with our modules
 */
export function baseImports(runtime: URL): Imports {
  const server = new URL('std-server.js', runtime).href
  const empty = new URL('empty.js', runtime).href
  const types = ['', '@2'].flatMap((version) =>
    ['', '/edge-runtime.d.ts'].map((file) => `jsr:@supabase/functions-js${version}${file}`),
  )
  return {
    'https://esm.sh/': 'npm:/',
    'https://deno.land/std/http/server.ts': server,
    ...Object.fromEntries(STD_VERSIONS.map((version) => [`https://deno.land/std@${version}/http/server.ts`, server])),
    ...Object.fromEntries(types.map((name) => [name, empty])),
    'https://esm.sh/@supabase/functions-js/src/edge-runtime.d.ts': empty,
    'jsr:@supabase/supabase-js': 'npm:@supabase/supabase-js',
    'jsr:@supabase/supabase-js@2': 'npm:@supabase/supabase-js@2',
  }
}

/**
 * The import map of a process: ours, and over it what the function's own file says.
 *
 * @param path - an import map, `deno.json` or `deno.jsonc`
 * @throws {HoldfastError} `functions_import_map_invalid`
 */
export function mergeImportMap(base: Imports, path: string | undefined): ImportMap {
  if (path === undefined) return { imports: base, scopes: {} }
  const own = parseImportMap(readFileSync(path, 'utf8'), path)
  return { imports: { ...base, ...own.imports }, scopes: own.scopes }
}

/** Relative names and addresses are made absolute: the map is used from another place. */
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'It holds no object')
  return value as Readonly<Record<string, unknown>>
}

function invalid(path: string, detail: string): HoldfastError {
  return new HoldfastError('functions_import_map_invalid', 500, `${path} is not an import map`, { detail })
}
