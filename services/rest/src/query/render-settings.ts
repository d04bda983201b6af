import { AUTHOR_PREFIX, quoteIdentifier, quoteLiteral, quoteName, sql, type SqlFragment } from '@holdfast/postgres'
import type { ApiRequest } from '../request/api-request.ts'

export type Setting = readonly [name: string, value: string]

export interface SettingsInput {
  readonly request: Pick<ApiRequest, 'schema' | 'method' | 'path' | 'headers' | 'cookies' | 'preferences'>
  readonly role: string
  readonly readOnly: boolean
  readonly claims: Readonly<Record<string, unknown>>
  /** `alter role … set …` of the role. */
  readonly roleSettings: Readonly<Record<string, string>>
  /** Settings of the called function. */
  readonly routineSettings: Readonly<Record<string, string>>
  /** Names of settings that apply to the whole transaction. */
  readonly hoistedSettings: readonly string[]
  readonly statementTimeoutMs: number
  readonly extraSearchPath: readonly string[]
}

/** Settings used when a transaction starts. Set inside it, they would only affect the next one. */
const OF_BEGINNING: ReadonlySet<string> = new Set(['default_transaction_isolation'])

/**
 * Returns the settings of a request's transaction in order. The role comes last, because later settings would be set with its privileges.
 *
 * @see PostgREST reference, "Transactions"
 */
export function requestSettings(input: SettingsInput): readonly Setting[] {
  const { request, role } = input
  const { timezone } = request.preferences
  return [
    ...(input.readOnly ? [['transaction_read_only', 'on'] as const] : []),
    ['statement_timeout', String(input.statementTimeoutMs)],
    ['search_path', searchPathOf(request.schema, input.extraSearchPath)],
    ...Object.entries(input.roleSettings).filter(([name]) => !OF_BEGINNING.has(name)),
    ...(timezone === undefined ? [] : [['timezone', timezone] as const]),
    ...hoisted(input).filter(([name]) => !OF_BEGINNING.has(name)),
    ['request.jwt.claims', renderClaims(input.claims, role)],
    ['request.method', request.method],
    ['request.path', request.path],
    ['request.headers', JSON.stringify(request.headers)],
    ['request.cookies', JSON.stringify(request.cookies)],
    ['role', role],
  ]
}

/** Returns the isolation level from `create function`, otherwise `alter role`, if not Postgres's default. */
export function isolationOf(
  input: Pick<SettingsInput, 'roleSettings' | 'routineSettings' | 'hoistedSettings'>,
): 'repeatable read' | 'serializable' | undefined {
  const name = 'default_transaction_isolation'
  const level = Object.fromEntries(hoisted(input))[name] ?? input.roleSettings[name]
  return level === 'repeatable read' || level === 'serializable' ? level : undefined
}

/** Returns the last value of a setting. */
export function lastValue(settings: readonly Setting[], name: string): string | undefined {
  return settings.findLast(([known]) => known === name)?.[1]
}

function hoisted(input: Pick<SettingsInput, 'routineSettings' | 'hoistedSettings'>): Setting[] {
  return Object.entries(input.routineSettings).filter(([name]) => input.hoistedSettings.includes(name))
}

const searchPaths = new WeakMap<readonly string[], Map<string, string>>()

/** @param extra - the same array while the configuration is unchanged, because it is a cache key */
function searchPathOf(schema: string, extra: readonly string[]): string {
  let known = searchPaths.get(extra)
  if (!known) searchPaths.set(extra, (known = new Map()))
  let path = known.get(schema)
  if (path === undefined) {
    path = [...new Set([schema, ...extra])].map(quoteIdentifier).join(', ')
    known.set(schema, path)
  }
  return path
}

const renderedClaims = new WeakMap<object, { readonly role: string; readonly text: string }>()

/** Renders claims as JSON. Cached by the claims object, which is reused while the token is cached. */
function renderClaims(claims: Readonly<Record<string, unknown>>, role: string): string {
  const known = renderedClaims.get(claims)
  if (known?.role === role) return known.text
  const text = JSON.stringify({ ...claims, role })
  renderedClaims.set(claims, { role, text })
  return text
}

/**
 * Renders one statement that sets everything for the transaction and returns a small number. Names from roles and functions come from the
 * database, so they are parameters like the values.
 *
 * @param author - author of the transaction's changes in the write-ahead log; `null` for none
 */
export function renderSettings(
  settings: readonly Setting[],
  author: string | null,
): {
  readonly text: string
  readonly values: readonly string[]
} {
  let shape = author === null ? '' : '+'
  const values: string[] = author === null ? [] : [author]
  for (const [name, value] of settings) {
    if (CONSTANT_NAME.test(name)) shape += `${name},`
    else {
      shape += ','
      values.push(name)
    }
    values.push(value)
  }
  let text = texts.get(shape)
  if (text === undefined) {
    text = renderText(settings, author !== null)
    if (texts.size >= TEXTS_MAX) texts.clear()
    texts.set(shape, text)
  }
  return { text, values }
}

const CONSTANT_NAME = /^[a-z_]+(\.[a-z_]+)*$/

/** Cached statements by setting names, one per combination of what roles and functions set. */
const texts = new Map<string, string>()
const TEXTS_MAX = 1_000

function renderText(settings: readonly Setting[], hasAuthor: boolean): string {
  let position = hasAuthor ? 1 : 0
  const author = `pg_catalog.pg_logical_emit_message(true, ${quoteLiteral(AUTHOR_PREFIX)}, $1)`
  const calls = settings.map(([name]) => {
    const first = CONSTANT_NAME.test(name) ? quoteLiteral(name) : `$${++position}`
    return `set_config(${first}, $${++position}, true)`
  })
  return `select num_nulls(${[...(hasAuthor ? [author] : []), ...calls].join(', ')})`
}

/** @param name - `schema.function`, or `function` on the search path */
export function renderPreRequest(name: string): SqlFragment {
  return sql`select ${sql.trusted(quoteName(...name.split('.')))}()`
}
