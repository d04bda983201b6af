import { invalidRange, parseFailed, queryTooComplex } from '../errors.ts'
import { CONDITIONS_MAX, PARAMETERS_MAX } from '../limits.ts'
import type { AtPath, EmbedPath, Filter, LogicTree, OrderTerm, QueryParams, RowRange } from './api-request.ts'
import { parseColumns, parseFieldName, parseTreePath } from './field.ts'
import { looksLikeOperation, parseFilterValue, parseLogic } from './filter.ts'
import { parseOrder } from './order.ts'
import { createScanner } from './scanner.ts'
import { parseSelect } from './select.ts'

type Pair = [name: string, value: string]

const INTEGER = /^-?[0-9]+$/

/**
 * Parses a query string.
 *
 * @param text - text after the `?`
 * @param isCall - whether a function is called with GET or HEAD, so that parameters other than filters are arguments
 * @throws PGRST100 for invalid syntax
 */
export function parseQueryParams(text: string, isCall: boolean): QueryParams {
  const pairs = splitPairs(text)
  const filters: AtPath<Filter>[] = []
  const logic: AtPath<LogicTree>[] = []
  const order: AtPath<readonly OrderTerm[]>[] = []
  const limits: AtPath<number>[] = []
  const offsets: AtPath<number>[] = []
  const args: Pair[] = []
  let select: string | undefined
  let columns: string | undefined
  let onConflict: string | undefined

  for (const [name, value] of pairs) {
    const word = name.slice(name.lastIndexOf('.') + 1)
    if (name === 'select') select ??= value
    else if (name === 'columns') columns ??= value
    else if (name === 'on_conflict') onConflict ??= value
    else if (word === 'and' || word === 'or') logic.push(parseLogicPair(name, value, word))
    else if (word === 'order') order.push({ path: pathOf(name), value: parseOrder(createScanner(value, 'order')) })
    else if (word === 'limit' || word === 'offset') {
      const rows = integer(value)
      if (rows !== undefined) (word === 'limit' ? limits : offsets).push({ path: pathOf(name), value: rows })
    } else {
      const { path, field } = parseTreePath(createScanner(name, 'tree path'))
      const scanner = createScanner(value, 'filter')
      if (isCall && !looksLikeOperation(scanner)) args.push([field.name, value])
      else filters.push({ path, value: parseFilterValue(scanner, field) })
    }
  }

  const conditions = filters.length + logic.reduce((sum, tree) => sum + countConditions(tree.value), 0)
  if (conditions > CONDITIONS_MAX) throw queryTooComplex(`A request may have ${CONDITIONS_MAX} conditions.`)
  return {
    select: select === undefined ? [{ kind: 'star' }] : parseSelect(createScanner(select, 'select parameter')),
    filters,
    logic,
    order,
    ranges: joinRanges(limits, offsets),
    columns: columns === undefined ? undefined : distinct(parseColumns(createScanner(columns, 'columns parameter'))),
    onConflict: onConflict === undefined ? undefined : parseColumns(createScanner(onConflict, 'on_conflict parameter')),
    args,
    canonical: canonicalOf(pairs),
  }
}

/** Returns the parameters sorted by name and encoded again, for `Content-Location`. */
export function canonicalQuery(text: string): string {
  return canonicalOf(splitPairs(text))
}

function canonicalOf(pairs: readonly Pair[]): string {
  return new URLSearchParams(pairs.toSorted(byName)).toString()
}

/** Decodes the pairs. Skips names without `=`. */
function splitPairs(text: string): Pair[] {
  const pairs: Pair[] = []
  for (const piece of text.split('&')) {
    if (!piece.includes('=')) continue
    for (const [name, value] of new URLSearchParams(piece)) {
      // Postgres cannot store NUL in text or identifiers.
      if (name.includes('\0') || value.includes('\0')) {
        throw parseFailed('query string', name.replaceAll('\0', ''), 0, 'unexpected NUL character')
      }
      pairs.push([name, value])
    }
  }
  if (pairs.length > PARAMETERS_MAX) throw queryTooComplex(`A query string may have ${PARAMETERS_MAX} parameters.`)
  return pairs
}

/** Parses `clients.not.or` with `(a.eq.1,b.eq.2)`. */
function parseLogicPair(name: string, value: string, operator: 'and' | 'or'): AtPath<LogicTree> {
  const names = namesOf(name, 'logic path')
  const path = names.slice(0, -1).filter((part) => part !== 'not')
  const negation = names.includes('not') ? 'not.' : ''
  return { path, value: parseLogic(createScanner(`${negation}${operator}${value}`, 'logic tree', value)) }
}

/** Returns the embeds before the last word of `clients.projects.order`. */
function pathOf(name: string): EmbedPath {
  return namesOf(name, 'tree path').slice(0, -1)
}

function namesOf(name: string, what: string): string[] {
  const scanner = createScanner(name, what)
  const names = [parseFieldName(scanner)]
  while (scanner.take('.')) names.push(parseFieldName(scanner))
  if (!scanner.atEnd()) throw scanner.failure('delimiter (.) or end of input')
  return names
}

function joinRanges(limits: readonly AtPath<number>[], offsets: readonly AtPath<number>[]): AtPath<RowRange>[] {
  const ranges = new Map<string, { path: EmbedPath; value: { offset: number; limit: number | undefined } }>()
  const at = (path: EmbedPath) => {
    const key = JSON.stringify(path)
    const range = ranges.get(key) ?? { path, value: { offset: 0, limit: undefined } }
    ranges.set(key, range)
    return range.value
  }
  for (const { path, value } of limits) {
    if (value < 0) throw invalidRange('Limit should be greater than or equal to zero.')
    at(path).limit = value
  }
  for (const { path, value } of offsets) {
    // As in PostgREST, a negative offset is ignored.
    at(path).offset = Math.max(value, 0)
  }
  return [...ranges.values()]
}

/** Parses an integer. Returns undefined for other input, which PostgREST ignores, and clamps huge values. */
function integer(text: string): number | undefined {
  if (!INTEGER.test(text)) return undefined
  return Math.max(Math.min(Number(text), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER)
}

function countConditions(tree: LogicTree): number {
  return tree.kind === 'filter' ? 1 : tree.children.reduce((sum, child) => sum + countConditions(child), 1)
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)]
}

function byName([left]: Pair, [right]: Pair): number {
  return left < right ? -1 : left > right ? 1 : 0
}
