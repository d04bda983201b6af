import { refuse } from '../refusal.ts'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { Expr } from './expression.ts'
import { renderExpr } from './render.ts'
import { isImmutable, OID, typeOf } from './typing.ts'
import { childrenOf, walkExpr } from './walk.ts'
import { INSTEAD_OF_CLOCK } from './policy-advice.ts'

const { date: DATE, timestamp: TIMESTAMP, timestamptz: TIMESTAMPTZ, interval: INTERVAL } = OID
const COMPARISONS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', '=', '<>'])
const CLOCKS: ReadonlySet<string> = new Set(['now', 'transaction_timestamp', 'statement_timestamp'])

/**
 * A comparison solved for the clock: when and at which values its result can change. All times are conservative, because an early one only costs an extra
 * evaluation.
 */
export interface ClockComparison {
  /** Values compared with the clock, and offsets added to either side; none reads the clock. */
  readonly values: readonly Expr[]
  /** SQL for the next time from `after` on at which the result may change; NULL if none. @param after - SQL of a time */
  readonly next: (after: string) => string
}

/** Whether a call reads the transaction's or statement's time. */
export function isClock(expr: Expr): boolean {
  return expr.kind === 'call' && expr.schema === 'pg_catalog' && CLOCKS.has(expr.name)
}

/** Whether an expression reads the clock anywhere, including subqueries. */
export function readsClock(expr: Expr): boolean {
  const before = known.get(expr)
  if (before !== undefined) return before
  let found = isClock(expr)
  if (!found && expr.kind === 'subquery') walkExpr(expr, { expr: (inner) => (found ||= isClock(inner)) })
  for (const child of childrenOf(expr)) found ||= readsClock(child)
  known.set(expr, found)
  return found
}

/** Cache, because each expression is checked at every enclosing level. */
const known = new WeakMap<Expr, boolean>()

/** @throws {Refusal} always */
export function refuseClock(): never {
  return refuse(`it reads the clock in a way that cannot be followed: ${INSTEAD_OF_CLOCK}`)
}

/** Finds the clock comparisons in an expression, outside subqueries. @throws {Refusal} if the clock is read in another way */
export function clockComparisonsIn(expr: Expr, catalog: PolicyCatalog): readonly ClockComparison[] {
  const found: ClockComparison[] = []
  const look = (part: Expr): void => {
    if (!readsClock(part)) return
    if (part.kind === 'operator') {
      const solved = solveClock(part, catalog)
      if (solved) {
        found.push(solved)
        return
      }
    }
    if (isClock(part) || part.kind === 'subquery') refuseClock()
    for (const child of partsOf(part)) look(child)
  }
  look(expr)
  return found
}

/** Whether a row condition is immutable except for solvable clock comparisons. */
export function isImmutableBesideClock(expr: Expr, catalog: PolicyCatalog): boolean {
  if (!readsClock(expr)) return isImmutable(expr, catalog)
  if (expr.kind === 'operator') {
    const solved = solveClock(expr, catalog)
    if (solved) return solved.values.every((value) => isImmutable(value, catalog))
  }
  if (isClock(expr)) return false
  if (!STRUCTURE.has(expr.kind)) return false
  return partsOf(expr).every((part) => isImmutableBesideClock(part, catalog))
}

/** Expressions whose value at a time follows from the values of their parts. */
const STRUCTURE: ReadonlySet<Expr['kind']> = new Set(['and', 'or', 'not', 'test', 'case', 'special', 'strict', 'cast'])

function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'and':
    case 'or':
    case 'special':
    case 'call':
      return expr.args
    case 'not':
    case 'test':
    case 'cast':
    case 'collate':
      return [expr.arg]
    case 'operator':
      return expr.left ? [expr.left, expr.right] : [expr.right]
    case 'array-operator':
      return [expr.left, expr.right]
    case 'case':
      return [
        ...(expr.arg ? [expr.arg] : []),
        ...expr.whens.flatMap((branch) => [branch.when, branch.value]),
        ...(expr.otherwise ? [expr.otherwise] : []),
      ]
    case 'strict':
      return [...expr.guards, expr.body]
    case 'subscript':
      return [expr.arg, ...expr.indexes]
    default:
      return []
  }
}

/**
 * Solves a comparison for the clock: `value cmp now()`, optionally with an interval (for dates also a number of days) added or subtracted, with the clock as a
 * date or without time zone; and `now() - value cmp interval`.
 */
export function solveClock(
  expr: Extract<Expr, { kind: 'operator' }>,
  catalog: PolicyCatalog,
): ClockComparison | undefined {
  if (expr.schema !== 'pg_catalog' || !COMPARISONS.has(expr.name) || !expr.left) return undefined
  const sides = readsClock(expr.left) ? [expr.left, expr.right] : [expr.right, expr.left]
  const [clock, value] = sides as [Expr, Expr]
  if (readsClock(value) || !readsNoQuery(value)) return undefined
  return solveAge(clock, value, catalog) ?? solveMoment(clock, value, catalog)
}

function readsNoQuery(expr: Expr): boolean {
  let found = false
  walkExpr(expr, { expr: (inner) => (found ||= inner.kind === 'subquery') })
  return !found
}

/** `now() - value cmp interval`: the difference counts 24-hour days, and 30-day months when compared. */
function solveAge(clock: Expr, limit: Expr, catalog: PolicyCatalog): ClockComparison | undefined {
  if (clock.kind !== 'operator' || clock.schema !== 'pg_catalog' || clock.name !== '-' || !clock.left) return undefined
  const value = clock.right
  if (!isClock(clock.left) || readsClock(value) || !readsNoQuery(value)) return undefined
  if (typeOf(value, catalog) !== TIMESTAMPTZ || typeOf(limit, catalog) !== INTERVAL) return undefined
  const [at, age] = [renderExpr(value), renderExpr(limit)]
  return { values: [value, limit], next: (after) => `sync.next_age(${at}, ${age}, ${after})` }
}

interface Shifted {
  readonly type: number
  /** SQL of the added interval or number of days. */
  readonly shift: { readonly expr: Expr; readonly sql: string; readonly isDays: boolean } | undefined
}

function solveMoment(clock: Expr, value: Expr, catalog: PolicyCatalog): ClockComparison | undefined {
  const read = readShifted(clock, catalog)
  const type = typeOf(value, catalog)
  if (!read || (type !== DATE && type !== TIMESTAMP && type !== TIMESTAMPTZ)) return undefined
  const { shift } = read
  const values = shift ? [value, shift.expr] : [value]
  const at = renderExpr(value)
  if (read.type === DATE) {
    // It changes only at midnight.
    const day = `(${at})::pg_catalog.date`
    if (!shift) return { values, next: (after) => `sync.next_day(${day}, 0, ${after})` }
    if (shift.isDays) return { values, next: (after) => `sync.next_day(${day} - (${shift.sql}), 0, ${after})` }
    const moved = `((${at})::pg_catalog.timestamp - (${shift.sql}))::pg_catalog.date`
    return { values, next: (after) => `sync.next_day(${moved}, 6, ${after})` }
  }
  if (shift?.isDays) return undefined
  const isPlain = read.type === TIMESTAMPTZ && type === TIMESTAMPTZ
  const interval = shift ? `(${shift.sql})` : `'0'::pg_catalog.interval`
  const moment = `(${at})::pg_catalog.timestamptz`
  return { values, next: (after) => `sync.next_moment(${moment}, ${interval}, ${isPlain}, ${after})` }
}

/** `now()`, possibly cast, with at most one offset. */
function readShifted(expr: Expr, catalog: PolicyCatalog): Shifted | undefined {
  if (isClock(expr)) return { type: TIMESTAMPTZ, shift: undefined }
  if (expr.kind === 'cast') {
    const inner = readShifted(expr.arg, catalog)
    const isMoment = expr.type === DATE || expr.type === TIMESTAMP || expr.type === TIMESTAMPTZ
    // An earlier offset would apply to another type.
    if (!inner || !isMoment || expr.typmod || inner.shift) return undefined
    // A date as a timestamp is its midnight.
    return inner.type === DATE ? inner : { type: expr.type, shift: undefined }
  }
  if (expr.kind !== 'operator' || expr.schema !== 'pg_catalog' || !expr.left) return undefined
  if (expr.name !== '+' && expr.name !== '-') return undefined
  const isMirrored = expr.name === '+' && readsClock(expr.right)
  const [clock, added] = isMirrored ? [expr.right, expr.left] : [expr.left, expr.right]
  if (readsClock(added) || !readsNoQuery(added)) return undefined
  const inner = readShifted(clock, catalog)
  if (!inner || inner.shift) return undefined
  const type = typeOf(added, catalog)
  const isDays = type === OID.int4 || type === OID.int2
  if (type !== INTERVAL && !(isDays && inner.type === DATE)) return undefined
  const sql = expr.name === '+' ? renderExpr(added) : `(- ${renderExpr(added)})`
  return { type: inner.type, shift: { expr: added, sql, isDays } }
}
