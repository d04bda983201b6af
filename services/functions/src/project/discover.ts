import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Logger } from '@holdfast/foundation'
import { readFunctionsConfig } from './config.ts'
import { findDeniedPaths, isWithin, type DeniedLink } from './denied-paths.ts'
import { findEsmAddresses } from './esm-addresses.ts'
import { readSecrets } from './secrets.ts'
import { variablesOf } from './variables.ts'

/** A function of the project. */
export interface FunctionDefinition {
  readonly name: string
  /** Entry module; may not exist. */
  readonly entry: string
  readonly verifyJwt: boolean
  /** Whether each request gets its own process. */
  readonly isOneshot: boolean
  /** Its own import map, `deno.json` or `package.json`, if any. */
  readonly importMap: string | undefined
}

/** Snapshot of the project's files. Immutable; a reload creates another. */
export interface Project {
  /** Served functions. */
  readonly functions: ReadonlyMap<string, FunctionDefinition>
  /** Import map for functions without their own. */
  readonly importMap: string | undefined
  readonly secrets: Readonly<Record<string, string>>
  /** Targets of imported URLs that only resemble package URLs. */
  readonly addresses: Readonly<Record<string, string>>
  /** Paths that functions must not read. */
  readonly deniedPaths: readonly string[]
  /** Denied links. A function with one in its folder is not served. */
  readonly deniedLinks: readonly DeniedLink[]
  /** Inspector port in `config.toml`. */
  readonly inspectorPort: number | undefined
}

export interface ProjectFiles {
  readonly directory: string
  readonly configFile: string
  readonly envFile: string
  /** Command-line options, which override the files. */
  readonly overrides: { readonly verifyJwt: boolean; readonly importMap: string | undefined }
}

/** Valid function names. */
export const FUNCTION_NAME = /^[A-Za-z][\w-]*$/
const ENTRIES = ['index.ts', 'index.js', 'index.mjs', 'index.tsx', 'index.jsx']
const OWN_MAPS = ['deno.json', 'deno.jsonc', 'import_map.json', 'package.json']

/**
 * Finds the functions: folders with an entry module, and those named in `config.toml`.
 *
 * @throws {HoldfastError} `functions_config_invalid`, `functions_too_many_denied_paths`
 */
export async function discoverProject(
  { directory, configFile, envFile, overrides }: ProjectFiles,
  environment: Readonly<Record<string, string | undefined>>,
  logger: Logger,
): Promise<Project> {
  const config = await readFunctionsConfig(configFile)
  const names = new Set([...foldersWithEntry(directory), ...config.functions.keys()])
  const functions = new Map<string, FunctionDefinition>()
  const denied = findDeniedPaths(directory, envFile)
  for (const name of config.enabled ? names : []) {
    const said = config.functions.get(name)
    if (!FUNCTION_NAME.test(name) || said?.enabled === false) continue
    const folder = join(directory, name)
    if (denied.links.some(({ path }) => isWithin(path, folder))) continue
    const entry = said?.entrypoint ?? findFirst(folder, ENTRIES) ?? join(folder, 'index.ts')
    functions.set(name, {
      name,
      entry: resolve(entry),
      verifyJwt: overrides.verifyJwt && (said?.verifyJwt ?? true),
      isOneshot: config.isOneshot,
      importMap:
        overrides.importMap ?? said?.importMap ?? findFirst(dirname(entry), OWN_MAPS) ?? findFirst(folder, OWN_MAPS),
    })
  }
  return {
    functions,
    importMap: findFirst(directory, ['import_map.json']),
    deniedPaths: denied.paths,
    deniedLinks: denied.links,
    inspectorPort: config.inspectorPort,
    addresses: functions.size === 0 ? {} : findEsmAddresses(directory),
    secrets:
      functions.size === 0 ? {} : readSecrets(config.secrets, envFile, variablesOf(configFile, environment), logger),
  }
}

function foldersWithEntry(directory: string): readonly string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && FUNCTION_NAME.test(entry.name))
    .map(({ name }) => name)
    .filter((name) => findFirst(join(directory, name), ENTRIES) !== undefined)
}

function findFirst(folder: string, names: readonly string[]): string | undefined {
  return names.map((name) => join(folder, name)).find((path) => existsSync(path))
}
