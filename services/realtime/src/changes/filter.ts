import { HoldfastError } from '@holdfast/foundation'
import { quoteIdentifier, quoteLiteral } from '@holdfast/postgres'
import { FILTER_LENGTH_MAX, FILTER_VALUES_MAX } from '../limits.ts'

/** One comparison of a filter, as the client wrote it. */
export interface Condition {
  readonly column: string
  readonly isNegated: boolean
  readonly operator: Operator
  /** Exactly one, except for `in`. */
  readonly values: readonly string[]
}

/** A conjunction of conditions on a table. */
export interface Filter {
  /** As the client wrote it; equal texts share a filter. */
  readonly text: string
  readonly conditions: readonly Condition[]
}

const SYMBOLS = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
} as const

type Operator = keyof typeof SYMBOLS | 'in' | 'is' | 'isdistinct'

const ON_TEXT: ReadonlySet<Operator> = new Set(['like', 'ilike', 'match', 'imatch'])
const IS_VALUES: ReadonlySet<string> = new Set(['null', 'true', 'false', 'unknown'])

/**
 * Parses a conjunction `column=op.value,column=not.op.value` as Supabase's realtime service does. Commas within parentheses or quotes belong to a value.
 *
 * @throws {HoldfastError} `InvalidFilter`
 */
export function parseFilter(text: string): Filter | undefined {
  if (text.length > FILTER_LENGTH_MAX) throw refused(`it is longer than ${FILTER_LENGTH_MAX} characters`)
  if (text.trim() === '') return undefined
  if (text.includes('\0')) throw refused('Postgres texts cannot contain NUL')
  const conditions = splitConditions(text).map(parseCondition)
  const values = conditions.reduce((sum, condition) => sum + condition.values.length, 0)
  if (values > FILTER_VALUES_MAX) throw refused(`it has more than ${FILTER_VALUES_MAX} values`)
  return { text, conditions }
}

function parseCondition(text: string): Condition {
  const [, column, not, operator = '', rest = ''] = /^([^=]+)=(not\.)?([a-z]+)\.(.*)$/s.exec(text.trim()) ?? []
  if (column === undefined || !isOperator(operator)) throw refused(`"${text}" is not column=operator.value`)
  const common = { column: column.trim(), isNegated: not !== undefined, operator }
  if (operator === 'in') {
    if (!/^\(.*\)$/s.test(rest)) throw refused('the values of in must be in parentheses')
    return { ...common, values: parseList(rest.slice(1, -1)) }
  }
  if (operator === 'is' && !IS_VALUES.has(rest.toLowerCase())) throw refused('is accepts null, true, false or unknown')
  return { ...common, values: [unquote(rest)] }
}

/** Renders SQL over the columns of `row`. Untyped literals take the column's type, so Postgres rejects invalid values. */
export function renderFilter({ conditions }: Filter, row: string): string {
  return conditions.map((condition) => `coalesce(${renderCondition(condition, row)}, false)`).join(' and ')
}

/** Renders SQL that fails for each invalid regular expression. Needed because a row of NULLs does not evaluate them. */
export function renderPatterns({ conditions }: Filter): readonly string[] {
  const patterns = conditions.filter(({ operator }) => operator === 'match' || operator === 'imatch')
  return patterns.map(({ values: [pattern = ''] }) => `('' ~ ${quoteLiteral(pattern)}) is not null`)
}

function renderCondition({ column, isNegated, operator, values }: Condition, row: string): string {
  const cell = `${row}.${quoteIdentifier(column)}`
  const [value = ''] = values
  const test = renderTest(operator, ON_TEXT.has(operator) ? `${cell}::pg_catalog.text` : cell, value, values)
  return isNegated ? `not (${test})` : test
}

function renderTest(operator: Operator, cell: string, value: string, values: readonly string[]): string {
  switch (operator) {
    case 'in':
      // Nothing is in an empty list.
      if (values.length === 0) return 'false'
      return `${cell} in (${values.map(quoteLiteral).join(', ')})`
    case 'is':
      return `${cell} is ${value.toLowerCase()}`
    case 'isdistinct':
      return `${cell} is distinct from ${value === 'null' ? 'null' : quoteLiteral(value)}`
    default:
      return `${cell} ${SYMBOLS[operator]} ${quoteLiteral(value)}`
  }
}

function isOperator(text: string): text is Operator {
  return Object.hasOwn(SYMBOLS, text) || text === 'in' || text === 'is' || text === 'isdistinct'
}

/** Splits at commas. As in Supabase, a quote opens only at the start of a value; elsewhere it is part of the value. */
function splitConditions(text: string): string[] {
  let depth = 0
  return split(text, (character, before) => {
    if (character === '(') depth++
    else if (character === ')') depth = Math.max(0, depth - 1)
    if (character === '"' && (before === '.' || before === '(' || before === ',')) return 'quote'
    return character === ',' && depth === 0 ? 'end' : 'value'
  })
}

/** Parses a list like a Postgres array: surrounding spaces count only in quotes. */
function parseList(text: string): string[] {
  if (text.trim() === '') return []
  const parts = split(text, (character, before) => {
    if (character === '"' && before === '') return 'quote'
    return character === ',' ? 'end' : 'value'
  })
  return parts.map((part) => {
    if (part.trim() === '') throw refused('a value of in is empty; an empty text is ""')
    return unquote(part.trim())
  })
}

/**
 * Splits a text in linear time.
 *
 * @param look - classifies a character outside quotes; `before` is the previous non-space character of the part
 */
function split(text: string, look: (character: string, before: string) => 'end' | 'quote' | 'value'): string[] {
  const parts: string[] = []
  let isQuoted = false
  let start = 0
  let before = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (isQuoted) {
      if (character === '\\') at++
      else if (character === '"') isQuoted = false
      before = character
      continue
    }
    const found = look(character, before)
    isQuoted = found === 'quote'
    if (found === 'end') {
      parts.push(text.slice(start, at))
      start = at + 1
      before = ''
    } else if (character.trim() !== '') before = character
  }
  return [...parts, text.slice(start)]
}

/** Removes quotes that enclose the whole text. */
function unquote(text: string): string {
  const inner = text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : undefined
  if (inner === undefined || /["\\]/.test(inner.replaceAll(/\\./gs, ''))) return text
  return inner.replaceAll(/\\(.)/gs, '$1')
}

function refused(why: string): HoldfastError {
  return new HoldfastError('InvalidFilter', 400, `Error parsing \`filter\` params: ${why}`)
}
