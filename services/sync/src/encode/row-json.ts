import type { PlannedColumn } from '@holdfast/policy'

/**
 * Turns one column's value, in Postgres's text form, into the JSON text that devices get. `undefined`: the column is left out.
 *
 * @see the PowerSync service's mapping of Postgres types (its sync-streams edition)
 */
type Converter = (text: string) => string | undefined

const BOOL = 16
const BYTEA = 17
const INTEGERS = new Set([20, 21, 23, 26])
const FLOATS = new Set([700, 701])
/** The one type whose arrays are not separated by commas. */
const BOX = 603
const DATE = 1082
const TIME = 1083
const TIMESTAMP = 1114
const TIMESTAMPTZ = 1184

/** Characters that JSON escapes inside a string. */
// eslint-disable-next-line no-control-regex
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/

function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`
}

function float(text: string): string {
  if (text === 'NaN') return 'null' // SQLite has no NaN: it is NULL there
  if (text === 'Infinity') return '9e999'
  if (text === '-Infinity') return '-9e999'
  return text
}

/** Six digits of fraction, always, so that text order is time order. */
function withMicroseconds(text: string): string {
  const dot = text.indexOf('.')
  return dot < 0 ? `${text}.000000` : text + '0'.repeat(Math.max(0, 6 - (text.length - dot - 1)))
}

function infinite(text: string, latest: string, earliest: string): string | undefined {
  if (text === 'infinity') return latest
  return text === '-infinity' ? earliest : undefined
}

function timestamp(text: string, zone: '' | 'Z'): string {
  const bound = infinite(text, '9999-12-31T23:59:59.999999', '0000-01-01T00:00:00.000000')
  if (bound !== undefined) return `"${bound}${zone}"`
  const isBc = text.endsWith(' BC')
  const end = text.length - (isBc ? 3 : 0) - (zone === 'Z' ? 3 : 0) // the stream's time zone is UTC: "+00"
  const space = text.indexOf(' ')
  return `"${text.slice(0, space)}T${withMicroseconds(text.slice(space + 1, end))}${zone}${isBc ? ' BC' : ''}"`
}

function converterOf(typeOid: number, elementOid: number): Converter {
  if (elementOid !== 0) return (text) => quoted(arrayJson(text, elementOid))
  if (typeOid === BOOL) return (text) => (text === 't' ? '1' : '0')
  if (INTEGERS.has(typeOid)) return (text) => text
  if (FLOATS.has(typeOid)) return float
  if (typeOid === BYTEA) return () => undefined
  if (typeOid === DATE) return (text) => `"${infinite(text, '9999-12-31', '0000-01-01') ?? text}"`
  if (typeOid === TIME) return (text) => `"${withMicroseconds(text)}"`
  if (typeOid === TIMESTAMP) return (text) => timestamp(text, '')
  if (typeOid === TIMESTAMPTZ) return (text) => timestamp(text, 'Z')
  return quoted
}

/** A Postgres array literal as JSON text: `{a,NULL,"b c"}` is `["a",null,"b c"]`; nested arrays nest. */
export function arrayJson(literal: string, elementOid: number): string {
  const convert = converterOf(elementOid, 0)
  const delimiter = elementOid === BOX ? ';' : ','
  // A non-default lower bound is written before the braces: [0:1]={1,2}
  let at = literal.startsWith('[') ? literal.indexOf('=') + 1 : 0
  function list(): string {
    at++ // {
    const items: string[] = []
    while (literal[at] !== '}') {
      if (literal[at] === delimiter) at++
      if (literal[at] === '{') items.push(list())
      else if (literal[at] === '"') items.push(convert(quotedElement()) ?? 'null')
      else items.push(bareElement())
    }
    at++ // }
    return `[${items.join(',')}]`
  }
  function quotedElement(): string {
    let value = ''
    for (at++; literal[at] !== '"'; at++) {
      if (literal[at] === '\\') at++
      value += literal[at]
    }
    at++
    return value
  }
  function bareElement(): string {
    const start = at
    while (literal[at] !== delimiter && literal[at] !== '}') at++
    const value = literal.slice(start, at)
    return value === 'NULL' ? 'null' : (convert(value) ?? 'null')
  }
  return list()
}

/** Writes one row's columns as the text of a JSON object, keys in column order, SQL NULL as `null`. */
export type RowEncoder = (row: readonly (string | null)[]) => string

/**
 * Compiles an encoder for some columns of a table.
 *
 * @param columns - the columns to write, with the position of each in the rows to come
 */
export function compileRowEncoder(
  columns: readonly { readonly column: PlannedColumn; readonly position: number }[],
): RowEncoder {
  const parts = columns.map(({ column, position }) => ({
    key: `${JSON.stringify(column.name)}:`,
    position,
    convert: converterOf(column.baseTypeOid, column.elementOid),
  }))
  return (row) => {
    let json = '{'
    for (const { key, position, convert } of parts) {
      const value = row[position]
      const text = value === null || value === undefined ? 'null' : convert(value)
      if (text === undefined) continue
      json += json.length > 1 ? `,${key}${text}` : key + text
    }
    return `${json}}`
  }
}
