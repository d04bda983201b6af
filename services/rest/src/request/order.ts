import type { HoldfastError } from '@holdfast/foundation'
import { queryTooComplex } from '../errors.ts'
import { ORDER_TERMS_MAX } from '../limits.ts'
import type { OrderTerm } from './api-request.ts'
import { parseField, parseFieldName } from './field.ts'
import type { Scanner } from './scanner.ts'

const DIRECTION = /\.(asc|desc)/y
const NULLS = /\.nulls(first|last)/y

/** Parses `name.desc.nullslast,client(name).asc,data->>size`. */
export function parseOrder(scanner: Scanner): OrderTerm[] {
  const terms: OrderTerm[] = []
  do {
    if (terms.length === ORDER_TERMS_MAX) throw queryTooComplex(`An order may have ${ORDER_TERMS_MAX} terms.`)
    terms.push(parseTerm(scanner))
  } while (!scanner.atEnd() && scanner.take(','))
  return terms
}

function parseTerm(scanner: Scanner): OrderTerm {
  scanner.skipSpace()
  const start = scanner.position
  let relation: string | undefined = parseFieldName(scanner)
  if (scanner.take('(')) {
    // `client(name)`: the name is that of an embed
  } else {
    relation = undefined
    scanner.position = start
  }
  const field = parseField(scanner)
  if (relation !== undefined) scanner.expect(')')
  const direction = scanner.match(DIRECTION)?.[1] as 'asc' | 'desc' | undefined
  const nulls = scanner.match(NULLS)?.[1] as 'first' | 'last' | undefined
  if (!scanner.atEnd() && scanner.peek() !== ',') throw unfinished(scanner, direction, nulls)
  return { relation, field, direction, nulls }
}

/** Returns an error with the words that could follow the parsed part of the term. */
function unfinished(scanner: Scanner, direction: string | undefined, nulls: string | undefined): HoldfastError {
  if (nulls !== undefined) return scanner.failure('"," or end of input')
  if (scanner.take('.')) {
    const words = direction === undefined ? '"asc", "desc", ' : ''
    return scanner.failure(`${words}"nullsfirst" or "nullslast"`)
  }
  return scanner.failure(
    direction === undefined
      ? 'letter, digit, "-", "->>", "->", delimiter (.), "," or end of input'
      : 'delimiter (.), "," or end of input',
  )
}
