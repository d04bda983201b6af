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
  /** Names of those that are set for the whole transaction. */
  readonly hoistedSettings: readonly string[]
  readonly statementTimeoutMs: number
  readonly extraSearchPath: readonly string[]
}

/** They say how the transaction begins; as settings they would only mean the next one. */
const OF_BEGINNING: ReadonlySet<string> = new Set(['default_transaction_isolation'])

/**
 * The settings of a request's transaction, in the order in which they are set: the role comes last, because what follows would be
 * set with its rights.
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

/** The value that counts of a setting that is set several times. */
export function lastValue(settings: readonly Setting[], name: string): string | undefined {
  return settings.findLast(([known]) => known === name)?.[1]
}

function hoisted(input: Pick<SettingsInput, 'routineSettings' | 'hoistedSettings'>): Setting[] {
  return Object.entries(input.routineSettings).filter(([name]) => input.hoistedSettings.includes(name))
}

const searchPaths = new WeakMap<readonly string[], Map<string, string>>()

/** @param extra - the same array as long as it is configured so */
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

/** A token's claims are the same object as long as it is remembered. */
function renderClaims(claims: Readonly<Record<string, unknown>>, role: string): string {
  const known = renderedClaims.get(claims)
  if (known?.role === role) return known.text
  const text = JSON.stringify({ ...claims, role })
  renderedClaims.set(claims, { role, text })
  return text
}

/**
 * One statement that sets all of them for the transaction, and answers one small number. Names that are not ours are parameters like the values, as
 * those of roles and functions come from the database.
 *
 * @param author - whom the write-ahead log names as the author of what the transaction changes, before any of it; `null` for none
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

/** Statements by the names that are set; there are as many as combinations of what roles and functions set. */
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
