import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { FunctionInfo, OperatorInfo } from '../catalog/policy-input.ts'
import { childrenOf } from './walk.ts'
import type { Expr } from './expression.ts'

/** OIDs of built-in types by name. */
export const OID = {
  bool: 16,
  name: 19,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  float8: 701,
  unknown: 705,
  varchar: 1043,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  interval: 1186,
  numeric: 1700,
  uuid: 2950,
} as const

/** Date and time types: parsing depends on settings, and words such as `now` are current times. */
const MOMENT_TYPES: ReadonlySet<number> = new Set([1082, 1083, 1114, 1184, 1266])

const POLYMORPHIC = /^(any.*|record)$/

/**
 * Returns an expression's type with domains resolved; `undefined` if uncertain. Postgres prints inserted casts, so functions and operators are matched by exact
 * argument types.
 */
export function typeOf(expr: Expr, catalog: PolicyCatalog): number | undefined {
  switch (expr.kind) {
    case 'row':
    case 'column':
    case 'constant':
    case 'cast':
      return expr.type === undefined ? undefined : baseOf(expr.type, catalog)
    case 'operator':
      return common(operatorsOf(expr, catalog).map((operator) => certain(operator.result, catalog)))
    case 'call':
      return common(functionsOf(expr, catalog).map((f) => certain(f.returnType, catalog)))
    case 'array-operator':
    case 'and':
    case 'or':
    case 'not':
    case 'test':
      return OID.bool
    case 'special':
      return typeOfSpecial(expr, catalog)
    case 'case':
      return common(
        [...expr.whens.map((branch) => branch.value), ...(expr.otherwise ? [expr.otherwise] : [])].map((branch) =>
          typeOf(branch, catalog),
        ),
      )
    case 'subscript': {
      const array = typeOf(expr.arg, catalog)
      return (array !== undefined && catalog.type(array)?.element) || undefined
    }
    case 'collate':
      return typeOf(expr.arg, catalog)
    case 'keyword':
      return OID.name
    case 'strict':
      return typeOf(expr.body, catalog)
    case 'subquery': {
      if (expr.link === 'exists' || expr.link === 'any' || expr.link === 'all') return OID.bool
      const target = expr.query.targets[0]
      const type = target && typeOf(target.expr, catalog)
      return expr.link === 'scalar' || type === undefined ? type : catalog.type(type)?.array || undefined
    }
  }
}

/** Returns a domain's base type, otherwise the type itself. */
export function baseOf(type: number, catalog: PolicyCatalog): number {
  return catalog.type(type)?.base || type
}

/** Returns an array's element type; `undefined` for other types. */
export function elementOf(type: number | undefined, catalog: PolicyCatalog): number | undefined {
  const element = type === undefined ? 0 : (catalog.type(type)?.element ?? 0)
  return element === 0 ? undefined : baseOf(element, catalog)
}

/** Returns the functions a call may refer to. */
export function functionsOf(call: Extract<Expr, { kind: 'call' }>, catalog: PolicyCatalog): readonly FunctionInfo[] {
  const named = catalog.functions(call.schema, call.name).filter((f) => takes(f, call.args.length))
  const types = call.args.map((arg) => typeOf(arg, catalog))
  return bestOf(named, (f) => f.argTypes.map((type, index) => fit(type, types[index], catalog)))
}

function takes(f: FunctionInfo, count: number): boolean {
  return f.variadic
    ? count >= f.argTypes.length - 1 - f.defaults
    : count <= f.argTypes.length && count >= f.argTypes.length - f.defaults
}

/** Returns the operators an expression may refer to, by known operand types. */
export function operatorsOf(
  expr: { readonly schema: string; readonly name: string; readonly left: Expr | undefined; readonly right: Expr },
  catalog: PolicyCatalog,
): readonly OperatorInfo[] {
  const named = catalog
    .operators(expr.schema, expr.name)
    .filter((operator) => (operator.left === 0) === (expr.left === undefined))
  const left = expr.left && typeOf(expr.left, catalog)
  const right = typeOf(expr.right, catalog)
  return bestOf(named, (operator) => [
    expr.left ? fit(operator.left, left, catalog) : 'exact',
    fit(operator.right, right, catalog),
  ])
}

type Fit = 'exact' | 'possible' | 'no'

function fit(parameter: number, given: number | undefined, catalog: PolicyCatalog): Fit {
  if (given === undefined || given === OID.unknown) return 'possible'
  if (baseOf(parameter, catalog) === given) return 'exact'
  return POLYMORPHIC.test(catalog.type(parameter)?.name ?? '') ? 'possible' : 'no'
}

/** Returns the exact match, otherwise all possible ones, otherwise all. */
function bestOf<T>(candidates: readonly T[], fits: (candidate: T) => readonly Fit[]): readonly T[] {
  const exact = candidates.filter((candidate) => fits(candidate).every((one) => one === 'exact'))
  if (exact.length > 0) return exact
  const possible = candidates.filter((candidate) => fits(candidate).every((one) => one !== 'no'))
  return possible.length > 0 ? possible : candidates
}

function certain(type: number, catalog: PolicyCatalog): number | undefined {
  return POLYMORPHIC.test(catalog.type(type)?.name ?? 'any') ? undefined : baseOf(type, catalog)
}

function common(types: readonly (number | undefined)[]): number | undefined {
  const [first] = types
  return types.every((type) => type === first) ? first : undefined
}

function typeOfSpecial(expr: Extract<Expr, { kind: 'special' }>, catalog: PolicyCatalog): number | undefined {
  switch (expr.form) {
    case 'is distinct from':
    case 'is not distinct from':
      return OID.bool
    case 'row':
      return undefined
    case 'nullif':
      return expr.args[0] && typeOf(expr.args[0], catalog)
    case 'array': {
      const element = common(expr.args.map((arg) => typeOf(arg, catalog)))
      return element === undefined ? undefined : catalog.type(element)?.array || undefined
    }
    default:
      return common(expr.args.map((arg) => typeOf(arg, catalog)))
  }
}

/** Whether an expression over a row depends only on the row. Enum labels count as constant: renaming one changes row data as well. */
export function isImmutable(expr: Expr, catalog: PolicyCatalog): boolean {
  return isImmutableItself(expr, catalog) && childrenOf(expr).every((child) => isImmutable(child, catalog))
}

/** Types with a single text form, independent of settings. */
const SETTLED_TYPES: ReadonlySet<number> = new Set([16, 19, 20, 21, 23, 25, 26, 114, 1043, 1700, 2950, 3802])

/** Whether the value depends only on the row and on things independent of session settings, such as `to_jsonb(text)`. */
export function isSettled(expr: Expr, catalog: PolicyCatalog): boolean {
  const isSteady =
    expr.kind === 'call' &&
    expr.schema === 'pg_catalog' &&
    functionsOf(expr, catalog).every((f) => f.volatility !== 'v') &&
    expr.args.every((arg) => SETTLED_TYPES.has(typeOf(arg, catalog) ?? 0))
  return (isSteady || isImmutableItself(expr, catalog)) && childrenOf(expr).every((child) => isSettled(child, catalog))
}

function isImmutableItself(expr: Expr, catalog: PolicyCatalog): boolean {
  switch (expr.kind) {
    case 'operator':
      return allImmutable(operatorsOf(expr, catalog))
    case 'array-operator':
      return allImmutable(
        catalog.operators(expr.schema, expr.name).filter((operator) => comparesElements(operator, expr, catalog)),
      )
    case 'call':
      return allImmutable(functionsOf(expr, catalog))
    case 'cast':
      return isImmutableCast(expr, catalog)
    case 'special':
      return (
        expr.form === 'row' ||
        expr.form === 'array' ||
        expr.form === 'coalesce' ||
        expr.args.every((arg) => !isMoment(typeOf(arg, catalog)))
      )
    case 'case':
      return !expr.arg || !isMoment(typeOf(expr.arg, catalog))
    case 'keyword':
    case 'subquery':
      return false
    default:
      return true
  }
}

function comparesElements(
  operator: OperatorInfo,
  expr: Extract<Expr, { kind: 'array-operator' }>,
  catalog: PolicyCatalog,
): boolean {
  const element = elementOf(typeOf(expr.right, catalog), catalog)
  return (
    fit(operator.left, typeOf(expr.left, catalog), catalog) !== 'no' && fit(operator.right, element, catalog) !== 'no'
  )
}

function allImmutable(candidates: readonly { readonly volatility: string }[]): boolean {
  return candidates.length > 0 && candidates.every((candidate) => candidate.volatility === 'i')
}

function isMoment(type: number | undefined): boolean {
  return type === undefined || MOMENT_TYPES.has(type)
}

/** Literals were parsed when the policy was created; other conversions run each time. */
function isImmutableCast(expr: Extract<Expr, { kind: 'cast' }>, catalog: PolicyCatalog): boolean {
  if (expr.arg.kind === 'constant') return true
  const from = typeOf(expr.arg, catalog)
  const target = baseOf(expr.type, catalog)
  if (from === undefined) return false
  return isImmutableConversion(from, target, catalog)
}

function isImmutableConversion(from: number, target: number, catalog: PolicyCatalog): boolean {
  if (from === target) return true
  const cast = catalog.cast(from, target)
  if (cast && cast.volatility !== 's') return cast.volatility === 'i'
  const source = catalog.type(from)
  const into = catalog.type(target)
  if (!source || !into) return false
  if (source.element && into.element)
    return isImmutableConversion(baseOf(source.element, catalog), baseOf(into.element, catalog), catalog)
  if (source.element || into.element || cast?.volatility === 's') return false
  const reads = into.kind === 'e' || into.inVolatility === 'i'
  const prints = source.kind === 'e' || source.outVolatility === 'i'
  return reads && prints
}

/** Whether it is a date or time type, or an array of one. */
export function isMomentType(type: number, catalog: PolicyCatalog): boolean {
  const base = baseOf(type, catalog)
  return MOMENT_TYPES.has(elementOf(base, catalog) ?? base)
}

/** Whether a conversion may read the clock, as `('now'::text)::timestamptz` does. */
export function mayReadClock(expr: Extract<Expr, { kind: 'cast' }>, catalog: PolicyCatalog): boolean {
  if (!isMomentType(expr.type, catalog) || expr.arg.kind === 'constant') return false
  const given = typeOf(expr.arg, catalog)
  return !isMomentForSure(elementOf(given, catalog) ?? given)
}

function isMomentForSure(type: number | undefined): boolean {
  return type !== undefined && MOMENT_TYPES.has(type)
}
