import { quoteIdentifier } from '@holdfast/postgres'
import type { ApiRequest } from '../request/api-request.ts'

/** Settings of roles that a request takes over; others may need a superuser and would break every request of the role. */
const ROLE_SETTINGS: ReadonlySet<string> = new Set([
  'statement_timeout',
  'lock_timeout',
  'timezone',
  'datestyle',
  'intervalstyle',
  'extra_float_digits',
  'work_mem',
  'plan_cache_mode',
  'jit',
])

/**
 * The settings of a request's transaction, in the order in which they are set: the role comes last, because what follows would be
 * set with its rights.
 *
 * @see PostgREST reference, "Transactions"
 */
export function requestSettings(input: {
  readonly request: ApiRequest
  readonly role: string
  readonly claims: Readonly<Record<string, unknown>>
  /** `alter role … set …` of the role. */
  readonly roleSettings: Readonly<Record<string, string>>
  /** Of the function that is called. */
  readonly statementTimeout: string | undefined
  readonly statementTimeoutMs: number
  readonly extraSearchPath: readonly string[]
}): readonly (readonly [name: string, value: string])[] {
  const { request, role, claims } = input
  const searchPath = [...new Set([request.schema, ...input.extraSearchPath])].map(quoteIdentifier).join(', ')
  const ofRole = Object.entries(input.roleSettings).filter(
    ([name]) => ROLE_SETTINGS.has(name.toLowerCase()) || name.includes('.'),
  )
  return [
    ['statement_timeout', String(input.statementTimeoutMs)],
    ...ofRole,
    ...(input.statementTimeout === undefined ? [] : [['statement_timeout', input.statementTimeout] as const]),
    ...(request.preferences.timezone === undefined ? [] : [['timezone', request.preferences.timezone] as const]),
    ['search_path', searchPath],
    ['request.jwt.claims', JSON.stringify({ ...claims, role })],
    ['request.method', request.method],
    ['request.path', request.path],
    ['request.headers', JSON.stringify(request.headers)],
    ['request.cookies', JSON.stringify(request.cookies)],
    ['role', role],
  ]
}
