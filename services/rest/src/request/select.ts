import { queryTooComplex } from '../errors.ts'
import { EMBED_DEPTH_MAX, EMBEDS_MAX, SELECT_ITEMS_MAX } from '../limits.ts'
import type { AggregateFunction, SelectEmbed, SelectField, SelectItem } from './api-request.ts'
import { parseField, parseFieldName } from './field.ts'
import type { Scanner } from './scanner.ts'

const ALIAS_END = /:(?!:)/y
const STAR = /\*[ \t]*(?=[,)]|$)/y
const COUNT_ALL = /count\(\)/y
const TYPE_NAME = /[\p{L}\p{Nd}_ $]+/uy
const AGGREGATE = /\.(sum|avg|count|max|min)\(\)/y

interface Budget {
  items: number
  embeds: number
}

/** Parses `*,total:amount->>net::numeric,client:clients!fk!inner(name),...site(name)`. */
export function parseSelect(scanner: Scanner): SelectItem[] {
  // As in PostgREST, text after a complete list is ignored.
  return parseItems(scanner, 0, { items: 0, embeds: 0 })
}

function parseItems(scanner: Scanner, depth: number, budget: Budget): SelectItem[] {
  if (depth > EMBED_DEPTH_MAX) throw queryTooComplex(`Embeds may nest ${EMBED_DEPTH_MAX} levels deep.`)
  const items: SelectItem[] = []
  scanner.skipSpace()
  if (scanner.atEnd() || scanner.peek() === ')') return items
  do {
    if (++budget.items > SELECT_ITEMS_MAX) throw queryTooComplex(`A select may have ${SELECT_ITEMS_MAX} items.`)
    scanner.skipSpace()
    items.push(parseEmbed(scanner, depth, budget) ?? parseSelectField(scanner))
    scanner.skipSpace()
  } while (scanner.take(','))
  return items
}

/** Parses an embed. Returns `undefined` and consumes nothing if the item is a field. */
function parseEmbed(scanner: Scanner, depth: number, budget: Budget): SelectEmbed | undefined {
  const start = scanner.position
  const spread = scanner.take('...')
  if (!spread && !startsName(scanner)) return undefined
  const alias = spread ? undefined : parseAlias(scanner)
  if (!startsName(scanner)) {
    scanner.position = start
    return undefined
  }
  const target = parseFieldName(scanner)
  let hint: string | undefined
  let join: 'inner' | 'left' | undefined
  let parameters = 0
  while (parameters < 2 && scanner.take('!')) {
    const name = parseFieldName(scanner)
    if (name === 'inner' || name === 'left') join ??= name
    else hint ??= name
    parameters++
  }
  if (scanner.peek() !== '(' || (target === 'count' && parameters === 0 && !spread)) {
    if (spread || parameters > 0) throw scanner.failure('"("')
    scanner.position = start
    return undefined
  }
  scanner.expect('(')
  if (++budget.embeds > EMBEDS_MAX) throw queryTooComplex(`A request may have ${EMBEDS_MAX} embeds.`)
  const select = parseItems(scanner, depth + 1, budget)
  scanner.expect(')')
  return { kind: 'embed', target, alias, hint, join, spread, select }
}

function parseSelectField(scanner: Scanner): SelectField | { readonly kind: 'star' } {
  if (scanner.match(STAR)) return { kind: 'star' }
  const alias = parseAlias(scanner)
  if (scanner.match(COUNT_ALL)) {
    const aggregateCast = parseCast(scanner)
    requireEnd(scanner)
    return { kind: 'field', field: { name: '*', path: [] }, alias, cast: undefined, aggregate: 'count', aggregateCast }
  }
  const field = parseField(scanner)
  const cast = parseCast(scanner)
  const aggregate = scanner.match(AGGREGATE)?.[1] as AggregateFunction | undefined
  const aggregateCast = aggregate === undefined ? undefined : parseCast(scanner)
  requireEnd(scanner)
  return { kind: 'field', field, alias, cast, aggregate, aggregateCast }
}

function parseCast(scanner: Scanner): string | undefined {
  if (!scanner.take('::')) return undefined
  const name = scanner.match(TYPE_NAME)?.[0].trim()
  if (!name) throw scanner.failure('letter or digit')
  return name
}

/** Parses `name:`, but not before the `::` of a cast. */
function parseAlias(scanner: Scanner): string | undefined {
  const start = scanner.position
  if (!startsName(scanner)) return undefined
  const name = parseFieldName(scanner)
  if (scanner.match(ALIAS_END)) return name
  scanner.position = start
  return undefined
}

function startsName(scanner: Scanner): boolean {
  return /["\p{L}\p{Nd}_$]/u.test(String.fromCodePoint(scanner.text.codePointAt(scanner.position) ?? 44))
}

function requireEnd(scanner: Scanner): void {
  scanner.skipSpace()
  if (scanner.atEnd() || scanner.peek() === ',' || scanner.peek() === ')') return
  throw scanner.failure('letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input')
}
