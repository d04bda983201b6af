import { queryTooComplex } from '../errors.ts'
import { LIST_VALUES_MAX, LOGIC_DEPTH_MAX } from '../limits.ts'
import type {
  Field,
  Filter,
  IsValue,
  LogicTree,
  Operation,
  QuantifiableOperator,
  SimpleOperator,
  TextSearchOperator,
} from './api-request.ts'
import { parseField, parseQuoted, startsFieldName } from './field.ts'
import type { Scanner } from './scanner.ts'

const SIMPLE = /(neq|cs|cd|ov|sl|sr|nxr|nxl|adj)\./y
const QUANTIFIABLE = /(eq|gte|gt|lte|lt|like|ilike|match|imatch)(?:\((any|all)\))?\./y
const TEXT_SEARCH = /(fts|plfts|phfts|wfts)(?:\(([\p{L}\p{Nd}_ $]+)\))?\./uy
const IS_VALUE = /(not_null|null|true|false|unknown)/iy
const LOGIC_HEAD = /(not\.)?(and|or)[ \t]*\([ \t]*/y
const UNTIL_DELIMITER = /[^,)]*/y
const ARRAY = /\{[^{}]*\}/y
const OPERATOR = '"not" or operator (eq, gt, ...)'

/** Parses an operation's value up to the end of the text or, in a logic tree, up to `,` or `)`. */
type ValueParser = (scanner: Scanner) => string

/** Parses a parameter's value: `not.eq.5`. */
export function parseFilterValue(scanner: Scanner, field: Field): Filter {
  const negated = scanner.take('not.')
  const operation = parseOperation(scanner, restOfText)
  if (!scanner.atEnd()) throw scanner.failure('end of input')
  return { kind: 'filter', field, negated, operation }
}

/** Returns whether a text starts like an operation, unlike arguments of functions called with GET. */
export function looksLikeOperation(scanner: Scanner): boolean {
  const start = scanner.position
  scanner.take('not.')
  const found =
    scanner.take('in.') ||
    scanner.take('is.') ||
    scanner.take('isdistinct.') ||
    (scanner.match(TEXT_SEARCH) ?? scanner.match(SIMPLE) ?? scanner.match(QUANTIFIABLE)) !== undefined
  scanner.position = start
  return found
}

/** Parses a tree: `not.or(a.eq.1,and(b.gt.2,c.is.null))`. As in PostgREST, text after it is ignored. */
export function parseLogic(scanner: Scanner): LogicTree {
  return parseLogicTree(scanner, 1)
}

function parseLogicTree(scanner: Scanner, depth: number): LogicTree {
  if (depth > LOGIC_DEPTH_MAX) throw queryTooComplex(`Conditions may nest ${LOGIC_DEPTH_MAX} levels deep.`)
  scanner.skipSpace()
  const head = scanner.match(LOGIC_HEAD)
  if (!head) {
    if (!startsFieldName(scanner)) {
      throw scanner.failure('field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)')
    }
    const field = parseField(scanner)
    scanner.expect('.')
    const negated = scanner.take('not.')
    const operation = parseOperation(scanner, delimitedValue)
    return { kind: 'filter', field, negated, operation }
  }
  const children: LogicTree[] = []
  do {
    children.push(parseLogicTree(scanner, depth + 1))
    scanner.skipSpace()
  } while (scanner.take(','))
  scanner.expect(')')
  scanner.skipSpace()
  return { kind: 'logic', negated: head[1] !== undefined, operator: head[2] === 'and' ? 'and' : 'or', children }
}

function parseOperation(scanner: Scanner, parseValue: ValueParser): Operation {
  if (scanner.take('in.')) return { kind: 'in', values: parseList(scanner) }
  if (scanner.take('isdistinct.')) return { kind: 'isdistinct', value: parseValue(scanner) }
  if (scanner.take('is.')) {
    const value = scanner.match(IS_VALUE)
    if (!value) throw scanner.failure('isVal: (null, not_null, true, false, unknown)')
    return { kind: 'is', value: value[0].toLowerCase() as IsValue }
  }
  const search = scanner.match(TEXT_SEARCH)
  if (search) {
    const operator = search[1] as TextSearchOperator
    return { kind: 'fts', operator, language: search[2]?.trim(), value: parseValue(scanner) }
  }
  const simple = scanner.match(SIMPLE)
  if (simple) return { kind: 'simple', operator: simple[1] as SimpleOperator, value: parseValue(scanner) }
  const quantifiable = scanner.match(QUANTIFIABLE)
  if (!quantifiable) throw scanner.failure(OPERATOR)
  return {
    kind: 'quantifiable',
    operator: quantifiable[1] as QuantifiableOperator,
    quantifier: quantifiable[2] as 'any' | 'all' | undefined,
    value: parseValue(scanner),
  }
}

/** Parses `(1,"a,b",c)`. `()` is a list of one empty text, which renders as the empty list, as in PostgREST. */
function parseList(scanner: Scanner): string[] {
  scanner.skipSpace()
  scanner.expect('(')
  scanner.skipSpace()
  const values: string[] = []
  do {
    if (values.length === LIST_VALUES_MAX) throw queryTooComplex(`A list may have ${LIST_VALUES_MAX} values.`)
    values.push(quotedValue(scanner) ?? matched(scanner, UNTIL_DELIMITER))
  } while (scanner.take(','))
  scanner.expect(')')
  scanner.skipSpace()
  return values
}

function restOfText(scanner: Scanner): string {
  const value = scanner.text.slice(scanner.position)
  scanner.position = scanner.text.length
  return value
}

function delimitedValue(scanner: Scanner): string {
  return quotedValue(scanner) ?? scanner.match(ARRAY)?.[0] ?? matched(scanner, UNTIL_DELIMITER)
}

/** Parses a quoted value, which must be followed by a delimiter; `"a"b` is an unquoted value. */
function quotedValue(scanner: Scanner): string | undefined {
  const start = scanner.position
  const value = parseQuoted(scanner)
  if (value !== undefined && (scanner.atEnd() || scanner.peek() === ',' || scanner.peek() === ')')) return value
  scanner.position = start
  return undefined
}

function matched(scanner: Scanner, pattern: RegExp): string {
  return scanner.match(pattern)?.[0] ?? ''
}
