import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorMessage, HoldfastError } from '@holdfast/foundation'

/** Settings of `[functions.NAME]`; paths are absolute. */
export interface FunctionConfig {
  readonly enabled: boolean
  readonly verifyJwt: boolean
  readonly importMap: string | undefined
  readonly entrypoint: string | undefined
}

/** The parts of `config.toml` that concern functions. */
export interface FunctionsConfig {
  readonly enabled: boolean
  /** From `policy`: one process per request instead of one for many. */
  readonly isOneshot: boolean
  readonly inspectorPort: number | undefined
  readonly functions: ReadonlyMap<string, FunctionConfig>
  /** `[edge_runtime.secrets]`, with `env(NAME)` unresolved. */
  readonly secrets: Readonly<Record<string, string>>
}

const NOTHING: FunctionsConfig = {
  enabled: true,
  isOneshot: false,
  inspectorPort: undefined,
  functions: new Map(),
  secrets: {},
}

/**
 * Reads `config.toml`, ignoring unrelated settings.
 *
 * @throws {HoldfastError} `functions_config_invalid`
 */
export async function readFunctionsConfig(path: string): Promise<FunctionsConfig> {
  const text = readText(path)
  return text === undefined ? NOTHING : await parseFunctionsConfig(text, path)
}

/**
 * Reads `config.toml` without interpreting it, for other parts of the project.
 *
 * @returns no tables if the file does not exist
 * @throws {HoldfastError} `functions_config_invalid`
 */
export async function readConfigTables(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = readText(path)
  return text === undefined ? {} : await parseTables(text, path)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw invalid(path, errorMessage(error))
  }
}

async function parseTables(text: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse } = await import('smol-toml')
  try {
    return parse(text)
  } catch (error) {
    throw invalid(path, errorMessage(error))
  }
}

/** @param path - of the file, to resolve relative paths */
export async function parseFunctionsConfig(text: string, path: string): Promise<FunctionsConfig> {
  const content = await parseTables(text, path)
  const runtime = tableOf(content['edge_runtime'], path, 'edge_runtime')
  const secrets = tableOf(runtime['secrets'], path, 'edge_runtime.secrets')
  const functions = tableOf(content['functions'], path, 'functions')
  return {
    enabled: booleanOf(runtime['enabled'], path, 'edge_runtime.enabled'),
    isOneshot: policyOf(runtime['policy'], path) === 'oneshot',
    inspectorPort: typeof runtime['inspector_port'] === 'number' ? runtime['inspector_port'] : undefined,
    secrets: Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, String(value)])),
    functions: new Map(
      Object.entries(functions)
        .filter(([, value]) => typeof value === 'object')
        .map(([name, value]) => [name, functionConfigOf(tableOf(value, path, `functions.${name}`), path, name)]),
    ),
  }
}

function functionConfigOf(table: Readonly<Record<string, unknown>>, path: string, name: string): FunctionConfig {
  const at = (key: string): string => `functions.${name}.${key}`
  const pathOf = (key: string): string | undefined => {
    const value = table[key]
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string') throw invalid(path, `${at(key)} is not a string`)
    return resolve(dirname(path), value)
  }
  return {
    enabled: booleanOf(table['enabled'], path, at('enabled')),
    verifyJwt: booleanOf(table['verify_jwt'], path, at('verify_jwt')),
    importMap: pathOf('import_map'),
    entrypoint: pathOf('entrypoint'),
  }
}

function tableOf(value: unknown, path: string, name: string): Readonly<Record<string, unknown>> {
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null) throw invalid(path, `${name} is not a table`)
  return value as Readonly<Record<string, unknown>>
}

const POLICIES = ['per_worker', 'oneshot']

function policyOf(value: unknown, path: string): unknown {
  if (value === undefined || POLICIES.includes(value as string)) return value
  throw invalid(path, `edge_runtime.policy is neither ${POLICIES.join(' nor ')}`)
}

/** Parses a boolean that defaults to true. */
function booleanOf(value: unknown, path: string, name: string): boolean {
  if (value === undefined) return true
  if (typeof value !== 'boolean') throw invalid(path, `${name} is neither true nor false`)
  return value
}

function invalid(path: string, detail: string): HoldfastError {
  return new HoldfastError('functions_config_invalid', 500, `${path} cannot be read`, {
    detail,
    hint: 'No function is served until it is valid. It is read again when it changes.',
  })
}
