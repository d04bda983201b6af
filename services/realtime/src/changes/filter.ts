import { HoldfastError } from '@holdfast/foundation'
import { quoteIdentifier, quoteLiteral } from '@holdfast/postgres'
import { FILTER_VALUES_MAX } from '../limits.ts'

/** One comparison of a filter, as the client wrote it. */
export interface Condition {
  readonly column: string
  readonly isNegated: boolean
  readonly operator: Operator
  /** One, except of `in`. */
  readonly values: readonly string[]
}

/** What a client wants to be told of a table; all of it has to hold. */
export interface Filter {
  /** As the client wrote it: equal texts are one filter. */
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
 * Reads `column=op.value,column=not.op.value`, all of which have to hold. A comma within parentheses or quotes belongs to a value.
 *
 * @throws {HoldfastError} `InvalidFilter`
 */
export function parseFilter(text: string): Filter | undefined {
  if (text.trim() === '') return undefined
  if (text.includes('\0')) throw refused('no text of Postgres has a NUL')
  const conditions = splitOutside(text).map(parseCondition)
  const values = conditions.reduce((sum, condition) => sum + condition.values.length, 0)
  if (values > FILTER_VALUES_MAX) throw refused(`it has more than ${FILTER_VALUES_MAX} values`)
  return { text, conditions }
}

function parseCondition(text: string): Condition {
  const [, column, not, operator = '', rest = ''] = /^([^=]+)=(not\.)?([a-z]+)\.(.*)$/s.exec(text.trim()) ?? []
  if (column === undefined || !isOperator(operator)) throw refused(`"${text}" is not column=operator.value`)
  const common = { column: column.trim(), isNegated: not !== undefined, operator }
  if (operator === 'in') {
    if (!rest.startsWith('(') || !rest.endsWith(')')) throw refused('the values of in stand in parentheses')
    return { ...common, values: splitOutside(rest.slice(1, -1)).map(unquote) }
  }
  if (operator === 'is' && !IS_VALUES.has(rest.toLowerCase())) throw refused('is takes null, true, false or unknown')
  return { ...common, values: [unquote(rest)] }
}

/** SQL over the columns of `row`. A literal without a type takes that of the column, so that Postgres refuses a text that is no value of it. */
export function renderFilter({ conditions }: Filter, row: string): string {
  return conditions.map((condition) => `coalesce(${renderCondition(condition, row)}, false)`).join(' and ')
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
  return text in SYMBOLS || text === 'in' || text === 'is' || text === 'isdistinct'
}

/** The parts between commas that stand neither in parentheses nor in quotes. */
function splitOutside(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let isQuoted = false
  let part = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (isQuoted && character === '\\') {
      part += character + (text[++at] ?? '')
      continue
    }
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === '(') depth++
    else if (!isQuoted && character === ')') depth--
    if (character === ',' && !isQuoted && depth === 0) {
      parts.push(part)
      part = ''
    } else part += character
  }
  return [...parts, part]
}

function unquote(text: string): string {
  const inner = /^"(.*)"$/s.exec(text.trim())?.[1]
  return inner === undefined ? text : inner.replaceAll(/\\(.)/gs, '$1')
}

function refused(why: string): HoldfastError {
  return new HoldfastError('InvalidFilter', 400, `Error parsing \`filter\` params: ${why}`)
}
