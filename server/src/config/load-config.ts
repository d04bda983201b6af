import {
  HoldfastError,
  type OptionDeclaration,
  type OptionDeclarations,
  type OptionValues,
  errorMessage,
} from '@holdfast/foundation'
import type { SettingOrigin } from '@holdfast/protocol'
import { flagName, nearest, variableName } from './names.ts'

/** Command-line options by name: the text of a value, or whether a switch is on. */
export type Flags = Readonly<Record<string, string | boolean>>

export interface ConfigSources {
  readonly flags: Flags
  readonly env: Readonly<Record<string, string | undefined>>
  /** @returns the file's text; `undefined` if it does not exist */
  readonly readFile: (path: string) => string | undefined
}

/** Type of an option's value. */
export type SettingValue = string | number | boolean | readonly string[] | Readonly<Record<string, unknown>>

/** Where each setting was set. Without those that have their default. */
export type SettingOrigins = Readonly<Record<string, SettingOrigin>>

/** Settings from the project's `config.toml`. */
export interface ProjectLayer {
  readonly file: string
  readonly values: Parsed
}

/**
 * Merges settings. Precedence: command line, environment, config file, `ofProject`, default.
 *
 * @param ofProject - settings from the project's `config.toml`
 * @throws {HoldfastError} `option_unknown`, `option_invalid`, `config_file_invalid`, each with the name and advice
 */
export function loadConfig<T extends OptionDeclarations>(
  declarations: T,
  sources: ConfigSources,
  ofProject: Parsed = {},
): OptionValues<T> {
  const { flags, environment, file } = readLayers(declarations, sources)
  const defaults = Object.entries(declarations).map(([name, declaration]) => [name, defaultOf(declaration)])
  return { ...Object.fromEntries(defaults), ...ofProject, ...file, ...environment, ...flags } as OptionValues<T>
}

/**
 * Finds where each setting of {@link loadConfig} was set.
 *
 * @throws {HoldfastError} as {@link loadConfig}
 */
export function findOrigins(
  declarations: OptionDeclarations,
  sources: ConfigSources,
  ofProject: ProjectLayer,
): SettingOrigins {
  const { flags, environment, file, path } = readLayers(declarations, sources)
  const originsOf = (layer: Parsed, kind: SettingOrigin['kind'], whereOf: (name: string) => string): SettingOrigins =>
    Object.fromEntries(Object.keys(layer).map((name) => [name, { kind, where: whereOf(name) }]))
  return {
    ...originsOf(ofProject.values, 'project', () => ofProject.file),
    ...originsOf(file, 'file', () => path),
    ...originsOf(environment, 'environment', (name) => variableName(name, declarations[name])),
    ...originsOf(flags, 'flag', flagName),
  }
}

interface Layers {
  readonly flags: Parsed
  readonly environment: Parsed
  readonly file: Parsed
  /** Path of the file. */
  readonly path: string
}

function readLayers(declarations: OptionDeclarations, sources: ConfigSources): Layers {
  const flags = parseFlags(declarations, sources.flags)
  const environment = parseEnvironment(declarations, sources.env)
  const early = { ...environment, ...flags }
  const path = String(early['configFile'] ?? defaultOf(declarations['configFile']) ?? '')
  const file = path === '' ? {} : parseFile(declarations, path, sources.readFile(path), 'configFile' in early)
  return { flags, environment, file, path }
}

function defaultOf(declaration: OptionDeclaration | undefined): SettingValue | undefined {
  return declaration?.default
}

type Parsed = Readonly<Record<string, SettingValue>>

function parseFlags(declarations: OptionDeclarations, flags: Flags): Parsed {
  const values: Record<string, SettingValue> = {}
  for (const [name, given] of Object.entries(flags)) {
    const declaration = declarations[name]
    if (!declaration) throw unknownOption(flagName(name), Object.keys(declarations).map(flagName))
    values[name] = typeof given === 'boolean' ? given : parseText(flagName(name), declaration, given)
  }
  return values
}

function parseEnvironment(declarations: OptionDeclarations, env: ConfigSources['env']): Parsed {
  const values: Record<string, SettingValue> = {}
  for (const [name, declaration] of Object.entries(declarations)) {
    const variable = variableName(name, declaration)
    const text = env[variable]
    // Shells and compose files use an empty variable for "not set".
    if (text !== undefined && text !== '') values[name] = parseText(variable, declaration, text)
  }
  return values
}

function parseFile(
  declarations: OptionDeclarations,
  path: string,
  text: string | undefined,
  isAskedFor: boolean,
): Parsed {
  if (text === undefined) {
    if (!isAskedFor) return {}
    throw new HoldfastError('config_file_invalid', 500, `The config file ${path} does not exist.`, {
      hint: 'Check --config-file, or leave it out.',
    })
  }
  const content = parseJson(path, text)
  const values: Record<string, SettingValue> = {}
  for (const [name, value] of Object.entries(content)) {
    // Editors use it for completion.
    if (name === '$schema') continue
    const declaration = declarations[name]
    if (!declaration) throw unknownOption(`"${name}" in ${path}`, Object.keys(declarations), name)
    values[name] = checkValue(`"${name}" in ${path}`, declaration, value)
  }
  return values
}

function parseJson(path: string, text: string): Readonly<Record<string, unknown>> {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (error) {
    throw new HoldfastError('config_file_invalid', 500, `The config file ${path} is not valid JSON.`, {
      detail: errorMessage(error),
    })
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new HoldfastError('config_file_invalid', 500, `The config file ${path} does not hold an object.`, {
      hint: 'Write { "port": 54321 }',
    })
  }
  return content as Readonly<Record<string, unknown>>
}

function parseText(where: string, declaration: OptionDeclaration, text: string): SettingValue {
  switch (declaration.type) {
    case 'string':
      return text
    case 'list':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
    case 'boolean':
      if (/^(true|1|yes|on)$/i.test(text)) return true
      if (/^(false|0|no|off)$/i.test(text)) return false
      throw invalidOption(where, `"${text}" is neither true nor false`, declaration)
    case 'object':
      return checkValue(where, declaration, parseObject(where, declaration, text))
    case 'integer':
      return parseInteger(where, declaration, /^-?\d+$/.test(text) ? Number(text) : text)
  }
}

/**
 * Validates a value in its config file form.
 *
 * @param where - its name in the error
 * @throws {HoldfastError} `option_invalid`
 */
export function checkValue(where: string, declaration: OptionDeclaration, value: unknown): SettingValue {
  const wrong = (): HoldfastError => invalidOption(where, `${JSON.stringify(value)} has the wrong type`, declaration)
  switch (declaration.type) {
    case 'string':
    case 'boolean':
      if (typeof value !== declaration.type) throw wrong()
      return value as string | boolean
    case 'list':
      if (!Array.isArray(value) || !value.every((part) => typeof part === 'string')) throw wrong()
      return value
    case 'object':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong()
      return value as Readonly<Record<string, unknown>>
    case 'integer':
      return parseInteger(where, declaration, value)
  }
}

function parseObject(where: string, declaration: OptionDeclaration, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidOption(where, 'Its value is not valid JSON', declaration)
  }
}

function parseInteger(where: string, declaration: OptionDeclaration & { type: 'integer' }, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw invalidOption(where, `${JSON.stringify(value)} is not a whole number`, declaration)
  }
  if (value < declaration.min || value > declaration.max) {
    throw invalidOption(where, `${value} is not between ${declaration.min} and ${declaration.max}`, declaration)
  }
  return value
}

function invalidOption(where: string, what: string, declaration: OptionDeclaration): HoldfastError {
  return new HoldfastError('option_invalid', 500, `${where}: ${what}.`, { hint: declaration.description })
}

function unknownOption(shown: string, candidates: readonly string[], text = shown): HoldfastError {
  const meant = nearest(text, candidates)
  return new HoldfastError('option_unknown', 500, `${shown} is not an option.`, {
    hint: meant ? `Did you mean ${meant}?` : 'Run "holdfast options" for a list.',
  })
}
