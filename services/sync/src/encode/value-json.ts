import type { TypeShape } from '@holdfast/policy'

/** Converts a value from Postgres's text form to JSON, for a whole column or inside arrays, composites and ranges. */
export type ToJson = (text: string) => string

const BOOL = 16
const INTEGERS = new Set([20, 21, 23, 26])
const FLOATS = new Set([700, 701])
const DATE = 1082
const TIME = 1083
const TIMESTAMP = 1114
const TIMESTAMPTZ = 1184

/** Characters that JSON escapes inside a string. */
// eslint-disable-next-line no-control-regex
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/

/** For longer texts, scanning takes a third of JSON's own time even without a match. */
const SEARCHED_MAX = 1_000

export function quoted(text: string): string {
  if (text.length > SEARCHED_MAX) return JSON.stringify(text)
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`
}

/**
 * Returns the converter of a column. Arrays, composites and ranges become text containing JSON.
 *
 * @see the PowerSync service's mapping of Postgres types (its sync-streams edition)
 */
export function columnToJson(shape: TypeShape): ToJson {
  const toJson = valueToJson(shape)
  if (shape.kind === 'scalar') return toJson
  return (text) => (text === 'empty' && shape.kind === 'range' ? '"empty"' : quoted(toJson(text)))
}

/** Returns the converter of a value inside another. */
export function valueToJson(shape: TypeShape): ToJson {
  switch (shape.kind) {
    case 'scalar':
      return scalarToJson(shape.oid)
    case 'array': {
      const element = valueToJson(shape.element)
      return (text) => arrayToJson(text, element, shape.delimiter)
    }
    case 'composite': {
      const members = shape.members.map(({ name, shape: member }) => ({
        key: `${quoted(name)}:`,
        toJson: valueToJson(member),
      }))
      return (text) => {
        const values = readComposite(text)
        return `{${members.map(({ key, toJson }, index) => key + orNull(values[index], toJson)).join(',')}}`
      }
    }
    case 'range': {
      const bound = valueToJson(shape.bound)
      return (text) => (text === 'empty' ? '"empty"' : rangeToJson(readRange(text, 0), bound))
    }
    case 'multirange': {
      const bound = valueToJson(shape.bound)
      return (text) => {
        const ranges: string[] = []
        for (let at = 1; at < text.length - 1;) {
          const range = readRange(text, at)
          ranges.push(rangeToJson(range, bound))
          at = range.end + 1 // the comma
        }
        return `[${ranges.join(',')}]`
      }
    }
  }
}

function orNull(text: string | null | undefined, toJson: ToJson): string {
  return text === null || text === undefined ? 'null' : toJson(text)
}

function scalarToJson(oid: number): ToJson {
  if (oid === BOOL) return (text) => (text === 't' ? '1' : '0')
  if (INTEGERS.has(oid)) return (text) => text
  if (FLOATS.has(oid)) return float
  if (oid === DATE) return (text) => `"${infinite(text, '9999-12-31', '0000-01-01') ?? text}"`
  if (oid === TIME) return (text) => `"${withMicroseconds(text)}"`
  if (oid === TIMESTAMP) return (text) => timestamp(text, '')
  if (oid === TIMESTAMPTZ) return (text) => timestamp(text, 'Z')
  return quoted
}

function float(text: string): string {
  if (text === 'NaN') return 'null' // SQLite has no NaN: it is NULL there
  if (text === 'Infinity') return '9e999'
  if (text === '-Infinity') return '-9e999'
  return text
}

/** Always writes six fraction digits, so that text order is time order. */
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

/** Converts a Postgres array literal to JSON text: `{a,NULL,"b c"}` becomes `["a",null,"b c"]`; nested arrays nest. */
function arrayToJson(literal: string, element: ToJson, delimiter: string): string {
  // A non-default lower bound is written before the braces: [0:1]={1,2}
  let at = literal.startsWith('[') ? literal.indexOf('=') + 1 : 0
  function list(): string {
    at++ // {
    const items: string[] = []
    while (literal[at] !== '}') {
      if (literal[at] === delimiter) at++
      if (literal[at] === '{') items.push(list())
      else if (literal[at] === '"') items.push(element(quotedElement()))
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
    return value === 'NULL' ? 'null' : element(value)
  }
  return list()
}

interface Scanned {
  /** `null` for an empty field. */
  readonly value: string | null
  readonly end: number
}

/** Scans one field of a composite or one bound of a range. Inside quotes, quotes and backslashes are doubled. */
function scanField(text: string, start: number, ends: string): Scanned {
  let at = start
  let value = ''
  while (!ends.includes(text[at] as string)) {
    if (text[at] === '\\') {
      value += text[at + 1]
      at += 2
    } else if (text[at] !== '"') {
      value += text[at++]
    } else {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '\\' || text[at] === '"') at++
        value += text[at]
      }
      at++
    }
  }
  return { value: at === start ? null : value, end: at }
}

function readComposite(text: string): readonly (string | null)[] {
  const values: (string | null)[] = []
  for (let at = 1; at < text.length;) {
    const field = scanField(text, at, ',)')
    values.push(field.value)
    at = field.end + 1
  }
  return values
}

interface ReadRange {
  readonly lower: string | null
  readonly upper: string | null
  readonly lowerExclusive: boolean
  readonly upperExclusive: boolean
  /** Position after its bracket. */
  readonly end: number
}

function readRange(text: string, start: number): ReadRange {
  const lower = scanField(text, start + 1, ',')
  const upper = scanField(text, lower.end + 1, '])')
  return {
    lower: lower.value,
    upper: upper.value,
    lowerExclusive: text[start] === '(',
    upperExclusive: text[upper.end] === ')',
    end: upper.end + 1,
  }
}

function rangeToJson(range: ReadRange, bound: ToJson): string {
  const [lower, upper] = [orNull(range.lower, bound), orNull(range.upper, bound)]
  return `{"lower":${lower},"upper":${upper},"lower_exclusive":${Number(range.lowerExclusive)},"upper_exclusive":${Number(range.upperExclusive)}}`
}
