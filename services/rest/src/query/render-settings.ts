import { quoteIdentifier, quoteName, sql, type SqlFragment } from '@holdfast/postgres'
import type { ApiRequest } from '../request/api-request.ts'

export type Setting = readonly [name: string, value: string]

export interface SettingsInput {
  readonly request: Pick<ApiRequest, 'schema' | 'method' | 'path' | 'headers' | 'cookies' | 'preferences'>
  readonly role: string
  readonly readOnly: boolean
  readonly claims: Readonly<Record<string, unknown>>
  /** `alter role … set …` of the role. */
  readonly roleSettings: Readonly<Record<string, string>>
  /** Of the function that is called. */
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

/** What `alter role` or `create function` sets besides Postgres's default; the function's comes first. */
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

function searchPathOf(schema: string, extra: readonly string[]): string {
  return [...new Set([schema, ...extra])].map(quoteIdentifier).join(', ')
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
 * One statement that sets all of them for the transaction, and answers one small number. The names of settings are parameters too, as those of roles
 * and functions come from the database.
 */
export function renderSettings(settings: readonly Setting[]): SqlFragment {
  const calls = settings.map(([name, value]) => sql`set_config(${constantName(name)}, ${value}, true)`)
  return sql`select num_nulls(${sql.join(calls)})`
}

const CONSTANT_NAME = /^[a-z_]+(\.[a-z_]+)*$/

function constantName(name: string): SqlFragment | string {
  return CONSTANT_NAME.test(name) ? sql.trusted(`'${name}'`) : name
}

/** @param name - `schema.function`, or `function` on the search path */
export function renderPreRequest(name: string): SqlFragment {
  return sql`select ${sql.trusted(quoteName(...name.split('.')))}()`
}
