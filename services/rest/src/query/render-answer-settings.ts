import { quoteLiteral, sql, sqlstateOf, type SqlFragment } from '@holdfast/postgres'
import type { HoldfastError } from '@holdfast/foundation'
import { invalidResponseHeaders, invalidResponseStatus } from '../errors.ts'

/** Headers that frame the message or connection, which only the server may set. */
export const FRAMING_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** As in PostgREST, only leading digits count. A final HTTP status is from 200 to 599. */
export const STATUS_PATTERN = '^0*([2-5][0-9]{2})(?![0-9])'

const SPACE = '[ \\t\\n\\r]*'
const NAME = '"[!#$%&\'*+.^_`|~0-9A-Za-z-]+"'
const ESCAPE = '\\\\(?:["\\\\/t]|u(?!00(?:0[^9]|1|7[fF]))[0-9a-fA-F]{4})'
const VALUE = `"(?:[^"\\\\\\u0001-\\u001f\\u007f]|${ESCAPE})*"`
const ITEM = [`\\{`, NAME, ':', VALUE, '\\}'].join(SPACE)

/**
 * Pattern of valid headers as JSON: an array of objects with one name, a token, and one string without control characters. The grammar of
 * `toResponseHeader` for Postgres, except that names have no escapes and are unique in their object.
 *
 * @see RFC 8259, and RFC 9110, sections 5.1 and 5.5
 */
const HEADERS_PATTERN = `^${SPACE}\\[(?:${SPACE}${ITEM}${SPACE}(?:,(?!${SPACE}\\])|(?=\\])))*${SPACE}\\]${SPACE}$`

/** Pattern of a framing header in lowercase text that matches {@link HEADERS_PATTERN}. */
const FRAMING_PATTERN = `"(?:${[...FRAMING_HEADERS].join('|')})"${SPACE}:`

/** Renders whether headers are valid. Compares bytes, independent of the database's collation. @param text - SQL of a text that is not NULL */
export function renderHeadersFit(text: string): string {
  const framed = `lower(${text} collate "C") ~ ${quoteLiteral(FRAMING_PATTERN)}`
  return `(${text} collate "C" ~ ${quoteLiteral(HEADERS_PATTERN)} and not ${framed})`
}

function renderStatusFits(text: string): string {
  return `(${text} collate "C" ~ ${quoteLiteral(STATUS_PATTERN)})`
}

/** Settings that are never set. A statement reads them to fail with their name. */
const REFUSED_HEADERS = 'rest.refused_response_headers'
const REFUSED_STATUS = 'rest.refused_response_status'

/**
 * Renders `response.headers` and `response.status`, which functions may set.
 *
 * @param isGuarded - whether invalid values fail the statement, so that its writes are rolled back; see {@link toSettingRefusal}
 */
export function renderAnswerSettings(isGuarded: boolean): SqlFragment {
  return isGuarded ? GUARDED : UNGUARDED
}

const UNGUARDED = sql`${orNull('response.headers')} as "headers", ${orNull('response.status')} as "status"`
const GUARDED = sql`${guarded('response.headers', renderHeadersFit, REFUSED_HEADERS)} as "headers", ${guarded('response.status', renderStatusFits, REFUSED_STATUS)} as "status"`

function orNull(name: string): SqlFragment {
  return sql.trusted(`nullif(${current(name)}, '')`)
}

/** Renders a guarded setting. Patterns are evaluated only if it is set. */
function guarded(name: string, renderFits: (text: string) => string, refused: string): SqlFragment {
  const known = `case when ${renderFits(current(name))} then ${current(name)}`
  return sql.trusted(
    `case when ${current(name)} <> '' then ${known} else current_setting(${quoteLiteral(refused)}) end end`,
  )
}

function current(name: string): string {
  return `current_setting(${quoteLiteral(name)}, true)`
}

const UNDEFINED_OBJECT = '42704'

/** @returns the error of a guarded statement that failed because of an invalid setting */
export function toSettingRefusal(error: Error): HoldfastError | undefined {
  if (sqlstateOf(error) !== UNDEFINED_OBJECT) return undefined
  if (error.message.includes(`"${REFUSED_HEADERS}"`)) return invalidResponseHeaders()
  return error.message.includes(`"${REFUSED_STATUS}"`) ? invalidResponseStatus() : undefined
}
