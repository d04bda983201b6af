import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { authOptions } from '@holdfast/auth'
import type { OptionDeclaration, OptionDeclarations } from '@holdfast/foundation'
import { realtimeOptions } from '@holdfast/realtime'
import { storageOptions } from '@holdfast/storage'
import { checkValue, type SettingValue } from '../../config/load-config.ts'
import { options } from '../../config/options.ts'
import { toOptionValue } from './convert.ts'
import { leavesOf, type Leaf } from './leaves.ts'
import { findOmittedTables, unset } from './omitted-tables.ts'
import { insertVariables, UnsetVariable } from './variables.ts'
import { FIXED, READ_ELSEWHERE, IGNORED_SETTINGS } from './ignored-settings.ts'

type Table = Readonly<Record<string, unknown>>

/** Options set by `config.toml`. */
export interface ProjectSettings {
  readonly values: Readonly<Record<string, SettingValue>>
  /** Notes for the terminal: ineffective and unknown settings, and missing variables. */
  readonly notes: readonly string[]
}

/** Options whose name differs from the key's path. */
const OPTION_OF: Readonly<Record<string, keyof typeof options>> = {
  'api.port': 'port',
  'api.schemas': 'restSchemas',
  'api.extra_search_path': 'restExtraSearchPath',
  'api.max_rows': 'restRowsMax',
  'db.port': 'dbPort',
  'auth.jwt_secret': 'jwtSecret',
}

/** `enabled` next to a URL; setting the URL enables the feature. */
const SWITCHES = /^auth\.(?:email\.smtp|hook\.\w+|sms\.\w+)\.enabled$/

/** Schemas of services, which have their own APIs. */
const OWN_SCHEMAS = new Set(['auth', 'storage', 'realtime', 'vault', 'net', 'cron', 'sync', 'extensions'])

const DECLARATIONS: Readonly<Record<string, OptionDeclarations>> = {
  auth: authOptions,
  storage: storageOptions,
  realtime: realtimeOptions,
}

/**
 * Reads the options set by `config.toml`, by option name: `auth.email.otp_length` is `emailOtpLength`.
 *
 * @param file - path of `config.toml`, for messages and relative paths
 * @param find - returns the variable of an `env(NAME)`
 * @throws {HoldfastError} `option_invalid` for a value of the wrong type or out of range, and for an unset variable of a boolean, an integer or a
 *   security-relevant key
 */
export function readProjectSettings(
  tables: Table,
  { file, find }: { readonly file: string; readonly find: (name: string) => string | undefined },
): ProjectSettings {
  const content = insertVariables(tables, find) as Table
  const leaves = [...leavesOf(content, (path) => optionOf(path) !== undefined)]
  const out = findOmittedTables(leaves, file)
  const values: Record<string, SettingValue> = {}
  const remarks = new Remarks(file)
  for (const leaf of leaves) {
    const name = leaf.path.join('.')
    if ([...out.keys()].some((table) => name.startsWith(`${table}.`))) continue
    const option = optionOf(leaf.path)
    const declaration = option === undefined ? undefined : (options as OptionDeclarations)[option]
    if (option === undefined || !declaration) remarks.addUnused(name, leaf.value)
    else {
      const value = settingOf(leaf, declaration, file, remarks)
      if (value !== undefined) values[option] = checkValue(`${name} in ${file}`, declaration, value)
    }
  }
  for (const text of out.values()) remarks.add(text)
  if (Array.isArray(values['restSchemas'])) values['restSchemas'] = exposed(values['restSchemas'] as string[], remarks)
  return { values, notes: remarks.lines() }
}

/**
 * Excludes exposed schemas that must not sync: exposed tables are also written by devices, such as rows of files without bytes. The packaged app's tables are
 * in `holdfast`.
 */
function exposed(schemas: readonly string[], remarks: Remarks): readonly string[] {
  const kept = schemas.filter((one) => !OWN_SCHEMAS.has(one))
  const others = schemas.filter((one) => OWN_SCHEMAS.has(one))
  if (others.length > 0)
    remarks.add(
      `api.schemas leaves out ${others.join(', ')}: to REST and devices only the option restSchemas exposes it`,
    )
  return [...new Set([...kept, 'holdfast'])]
}

function optionOf(path: readonly string[]): string | undefined {
  const named = OPTION_OF[path.join('.')]
  const [section = '', ...rest] = path
  const declarations = DECLARATIONS[section]
  if (named !== undefined || !declarations) return named
  const name = camelCase(section === 'auth' ? rest : path)
  return Object.hasOwn(declarations, name) && name !== 'storageBuckets' ? name : undefined
}

function camelCase(path: readonly string[]): string {
  return path.join('_').replaceAll(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** @returns `undefined` for a value that leaves the option at its default */
function settingOf({ path, value }: Leaf, declaration: OptionDeclaration, file: string, remarks: Remarks): unknown {
  const name = path.join('.')
  if (value instanceof UnsetVariable) {
    if (declaration.type === 'boolean' || declaration.type === 'integer') throw unset(name, value, file)
    remarks.add(`${name} names ${value.name}, which is not set`)
    // Without its secret no captcha can be verified, so every attempt is rejected.
    return name === 'auth.captcha.secret' ? value.name : undefined
  }
  if (value === '' && declaration.type === 'string' && declaration.default === undefined) return undefined
  if (name.endsWith('.content_path')) return templateOf(name, String(value), file, remarks)
  if (name === 'auth.signing_keys_path') return signingKeysOf(String(value), file, remarks)
  // Some versions of the ecosystem's CLI wrapped the message text in its own template syntax.
  if (name.endsWith('.template')) return String(value).replaceAll(/\{\{\s*`([^`]*)`\s*\}\}/g, '$1')
  // Host name by which containers of a local server call functions.
  if (/^auth\.hook\.\w+\.uri$/.test(name)) return String(value).replace('//host.docker.internal', '//localhost')
  const list = Array.isArray(value) ? value.filter((one) => !(one instanceof UnsetVariable)) : value
  for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [])
    if (one instanceof UnsetVariable) remarks.add(`${name} names ${one.name}, which is not set`)
  return toOptionValue(declaration, list)
}

/** Mail template paths are relative to the project folder or to that of `config.toml`. */
function templateOf(name: string, path: string, file: string, remarks: Remarks): string | undefined {
  const folder = dirname(file)
  const found = [resolve(dirname(folder), path), resolve(folder, path)].find((one) => existsSync(one))
  if (found === undefined) remarks.add(`${name} names ${path}, which is not there: the mail has its standard text`)
  return found
}

/** Signing keys do not belong in a repository. Without the file, a key of this server signs, as with the ecosystem's CLI. */
function signingKeysOf(path: string, file: string, remarks: Remarks): string | undefined {
  const found = resolve(dirname(file), path)
  if (existsSync(found)) return found
  remarks.add(`auth.signing_keys_path names ${path}, which is not there: a key of this server's own signs`)
  return undefined
}

/** Collects notes, grouping keys with the same reason. */
class Remarks {
  readonly #file: string
  readonly #others: string[] = []
  readonly #unused = new Map<string, Set<string>>()
  readonly #unknown: string[] = []

  constructor(file: string) {
    this.#file = file
  }

  add(text: string): void {
    this.#others.push(text)
  }

  addUnused(name: string, value: unknown): void {
    const fixed = FIXED[name]
    if (fixed?.has === value || READ_ELSEWHERE.some((one) => isIn(name, one))) return
    const known = fixed ? { at: name, why: fixed.why } : IGNORED_SETTINGS.find(({ at }) => isIn(name, at))
    if (!known) {
      if (!SWITCHES.test(name)) this.#unknown.push(name)
    } else if (fixed || !isNothing(value))
      this.#unused.set(known.why, (this.#unused.get(known.why) ?? new Set()).add(shownAs(name, known.at)))
  }

  lines(): readonly string[] {
    const unused = [...this.#unused].map(([why, names]) => {
      const verb = names.size === 1 ? 'has' : 'have'
      return `${[...names].join(', ')} ${verb} no effect here: ${why}`
    })
    const unknown =
      this.#unknown.length === 0 ? [] : [`not known, and without effect: ${this.#unknown.slice(0, 20).join(', ')}`]
    return [...unknown, ...this.#others, ...unused].map((text) => `${this.#file}: ${text}`)
  }
}

function isIn(name: string, at: string): boolean {
  return name === at || name.startsWith(`${at}.`)
}

/** Returns the displayed name: providers by name, other tables by table. */
function shownAs(name: string, at: string): string {
  return at === 'auth.external' ? name.split('.').slice(0, 3).join('.') : at
}

function isNothing(value: unknown): boolean {
  if (value instanceof UnsetVariable) return true
  return value === false || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)
}
