import type { RuleType, RuleValue } from '@holdfast/protocol'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import { localColumnOf } from '../compile/local-name.ts'
import { Refusal } from '../refusal.ts'
import type { Expr } from '../syntax/expression.ts'
import { baseOf, OID, typeOf } from '../syntax/typing.ts'
import type { FactQueries } from './fact-queries.ts'

export interface ConditionContext {
  readonly catalog: PolicyCatalog
  readonly facts: FactQueries
  /** The policy's table. */
  readonly table: TableInfo
  /** OIDs of synced tables. */
  readonly synced: ReadonlySet<number>
}

/** A table whose row is found by key. */
export interface FoundTable {
  readonly table: TableInfo
  readonly number: number
}

export type FoundTables = ReadonlyMap<string, FoundTable>

export const UNKNOWN = { is: 'unknown' } as const

/** Converts a refusal to unknown: Postgres decides. */
export function unlessRefused(error: unknown): typeof UNKNOWN {
  if (error instanceof Refusal) return UNKNOWN
  throw error
}

const TYPES: ReadonlyMap<number, RuleType> = new Map([
  [OID.bool, 'boolean'],
  [OID.int2, 'integer'],
  [OID.int4, 'integer'],
  [OID.int8, 'integer'],
  [OID.numeric, 'decimal'],
  [OID.float8, 'double'],
  [OID.text, 'text'],
  [OID.varchar, 'text'],
  [OID.uuid, 'uuid'],
  [OID.date, 'date'],
  [OID.timestamptz, 'moment'],
])

export function ruleTypeOf(type: number | undefined, catalog: PolicyCatalog): RuleType | undefined {
  if (type === undefined) return undefined
  const base = baseOf(type, catalog)
  return catalog.type(base)?.kind === 'e' ? 'text' : TYPES.get(base)
}

export function isEnum(expr: Expr, catalog: PolicyCatalog): boolean {
  const type = typeOf(expr, catalog)
  return type !== undefined && catalog.type(type)?.kind === 'e'
}

/** Decimal digits kept by a row's column; Postgres rounds before comparing. */
export function scaleOf(sides: readonly Expr[], table: TableInfo): number | undefined {
  const scales = sides.flatMap((side) => {
    const column = side.kind === 'row' ? table.columns.find(({ name }) => name === side.column) : undefined
    const [, precision, scale] = /^numeric\((\d+),(-?\d+)\)$/.exec(column?.typeName ?? '') ?? []
    return precision === undefined ? [] : [Number(scale)]
  })
  return scales.length === 0 ? undefined : Math.min(...scales)
}

/** Text functions that devices can repeat. */
const CALLS: Readonly<Record<string, 'length' | 'btrim' | 'rtrim' | 'lower'>> = {
  length: 'length',
  char_length: 'length',
  character_length: 'length',
  btrim: 'btrim',
  rtrim: 'rtrim',
  lower: 'lower',
}

function toCall(
  { schema, name, args }: Extract<Expr, { kind: 'call' }>,
  context: ConditionContext,
  found: FoundTables,
): RuleValue | undefined {
  const call = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined
  const [arg, second] = args
  if (schema !== 'pg_catalog' || call === undefined || !arg || second) return undefined
  if (ruleTypeOf(typeOf(arg, context.catalog), context.catalog) !== 'text' || isEnum(arg, context.catalog))
    return undefined
  const of = toRuleValue(arg, context, found)
  return of && { call, of }
}

/** @param isAnyType - only its nullness matters */
export function toRuleValue(
  expr: Expr,
  context: ConditionContext,
  found: FoundTables,
  isAnyType = false,
): RuleValue | undefined {
  const { catalog, facts, table } = context
  if (expr.kind === 'row')
    return expr.nondeterministic && !isAnyType ? undefined : { column: localColumnOf(expr.column, table) }
  if (expr.kind === 'column') {
    const other = found.get(expr.range)
    if (!other || (expr.nondeterministic && !isAnyType)) return undefined
    return { column: localColumnOf(expr.column, other.table), of: other.number }
  }
  if (expr.kind === 'cast' && isTransparent(expr, catalog)) return toRuleValue(expr.arg, context, found, isAnyType)
  if (expr.kind === 'constant' && expr.sql === 'null') return { text: null }
  if (expr.kind === 'call' && !facts.dependsOnUser(expr)) return toCall(expr, context, found)
  if (!facts.dependsOnUser(expr)) return undefined
  const text = literalOf(expr, catalog)
  if (text !== undefined) return { text }
  try {
    return { fact: facts.addValue(expr) }
  } catch (error) {
    unlessRefused(error)
    return undefined
  }
}

/** A literal in canonical form. */
function literalOf(expr: Expr, catalog: PolicyCatalog): string | undefined {
  const number = numberOf(expr, catalog)
  if (number !== undefined) return number
  const constant = expr.kind === 'cast' && !expr.typmod ? expr.arg : expr
  if (constant.kind !== 'constant') return undefined
  const type = ruleTypeOf(typeOf(expr, catalog), catalog)
  if (/^\d{1,18}$/.test(constant.sql)) return type === 'integer' ? constant.sql : undefined
  if (constant.sql === 'true' || constant.sql === 'false') return type === 'boolean' ? constant.sql : undefined
  const isText = type === 'text' || (expr === constant && constant.type === OID.unknown)
  return isText && /^'(?:[^'\\]|'')*'$/.test(constant.sql) ? constant.sql.slice(1, -1).replaceAll("''", "'") : undefined
}

const NUMBERS: ReadonlySet<RuleType | undefined> = new Set(['integer', 'decimal', 'double'])

/** A number under value-preserving casts: `('-90'::integer)::double precision`. */
function numberOf(expr: Expr, catalog: PolicyCatalog): string | undefined {
  const type = ruleTypeOf(typeOf(expr, catalog), catalog)
  if (expr.kind === 'cast') {
    if (expr.typmod || !NUMBERS.has(type) || baseOf(expr.type, catalog) !== expr.type) return undefined
    const { arg } = expr
    const quoted = arg.kind === 'constant' ? /^'(-?\d{1,15}(?:\.\d{1,15})?)'$/.exec(arg.sql)?.[1] : undefined
    const text = quoted ?? numberOf(arg, catalog)
    return type === 'integer' && text?.includes('.') ? undefined : text
  }
  const isNumber = expr.kind === 'constant' && NUMBERS.has(type) && /^\d{1,15}(\.\d{1,15})?$/.test(expr.sql)
  return isNumber ? expr.sql : undefined
}

/** Whether a cast preserves a value's text. */
function isTransparent({ arg, type, typmod }: Extract<Expr, { kind: 'cast' }>, catalog: PolicyCatalog): boolean {
  const from = typeOf(arg, catalog)
  if (typmod || from === undefined || arg.kind === 'constant') return false
  const [before, after] = [ruleTypeOf(from, catalog), ruleTypeOf(type, catalog)]
  if (baseOf(type, catalog) !== type && type !== from) return false // a domain validates its input
  if (catalog.type(baseOf(type, catalog))?.kind === 'e') return from === baseOf(type, catalog)
  if (before === after) return before !== undefined
  return after === 'text' && (before === 'uuid' || before === 'text')
}
