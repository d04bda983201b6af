import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { refuse } from '../refusal.ts'
import { isAggregate, returnsRows } from '../syntax/convert-call.ts'
import { conjuncts, isBare, type Expr, type From, isEquality, type Query } from '../syntax/expression.ts'
import { isOpaque } from '../syntax/scope.ts'
import { childrenOf, walkExpr } from '../syntax/walk.ts'
import { surveyExpr } from './survey.ts'

/** `FROM` with inner joins flattened and their conditions. Outer joins stay. */
export interface OpenedFrom {
  readonly items: readonly From[]
  readonly conditions: readonly Expr[]
}

/** Flattens inner joins; the order of tables does not affect the result. */
export function openJoins(from: readonly From[]): OpenedFrom {
  const items: From[] = []
  const conditions: Expr[] = []
  const open = (item: From): void => {
    if (item.kind !== 'join' || item.type !== 'inner') {
      items.push(item)
      return
    }
    open(item.left)
    open(item.right)
    conditions.push(...conjuncts(item.on))
  }
  for (const item of from) open(item)
  return { items, conditions }
}

/** Whether a query always returns at most one row: it aggregates everything, reads nothing, or fixes every column of a unique index of each table. */
export function returnsOneRow(query: Query, catalog: PolicyCatalog): boolean {
  if (query.setOperation || query.groupBy.length > 0) return false
  if (query.targets.some((target) => hasAggregate(target.expr, catalog))) return true
  const { items, conditions } = openJoins(query.from)
  const all = [...conditions, ...conjuncts(query.where)]
  const open = new Set<string>()
  for (const item of items) {
    if (item.kind !== 'table') return false
    open.add(item.alias)
  }
  for (let progress = true; progress && open.size > 0;) {
    progress = false
    for (const item of items) {
      if (item.kind !== 'table' || !open.has(item.alias)) continue
      const fixed = fixedColumns(item.alias, all, open, catalog)
      if (
        !item.table.uniqueIndexes.some(
          (index) => index.isImmediate && index.columns.every((column) => fixed.has(column)),
        )
      )
        continue
      if (item.table.inherits && item.table.kind !== 'p') continue
      open.delete(item.alias)
      progress = true
    }
  }
  return open.size === 0
}

/** Columns of a range that equal something independent of the unfixed ranges. */
function fixedColumns(
  alias: string,
  conditions: readonly Expr[],
  open: ReadonlySet<string>,
  catalog: PolicyCatalog,
): ReadonlySet<string> {
  const fixed = new Set<string>()
  for (const condition of conditions) {
    if (condition.kind !== 'operator' || !isEquality(condition) || !condition.left) continue
    for (const [one, other] of [
      [condition.left, condition.right],
      [condition.right, condition.left],
    ] as const) {
      if (one.kind !== 'column' || one.range !== alias) continue
      if ([...surveyExpr(other, catalog).outer].every((range) => !open.has(range))) fixed.add(one.column)
    }
  }
  return fixed
}

/** Whether it calls an aggregate or window function, outside subqueries. */
export function hasAggregate(expr: Expr, catalog: PolicyCatalog): boolean {
  if (expr.kind === 'call' && isAggregate(expr, catalog)) return true
  return childrenOf(expr).some((child) => hasAggregate(child, catalog))
}

/** Removes limits that do not affect an existence test. */
export function withoutLimit(query: Query): Query {
  const { limit } = query
  const harmless = limit?.kind === 'constant' && /^[1-9]\d*$/.test(limit.sql) && !query.offset
  return harmless ? { ...query, limit: undefined } : query
}

/** Whether all rows are equal, as in `SELECT true FROM …`, so their order is irrelevant. */
export function hasEqualRows(query: Query): boolean {
  if (query.setOperation || query.groupBy.length > 0 || query.offset) return false
  let isFixed = true
  for (const { expr } of query.targets) {
    walkExpr(expr, {
      expr: (inner) => (isFixed &&= inner.kind === 'constant' || inner.kind === 'cast' || isOpaque(inner)),
    })
  }
  return isFixed
}

/** Whether a single-table query has a total order, so a `LIMIT` is deterministic. */
export function isOrderedWhole(query: Query): boolean {
  const [only, second] = query.from
  if (!only || second || only.kind !== 'table' || query.setOperation || query.groupBy.length > 0 || query.distinct)
    return false
  const by = new Set(
    query.orderBy.map(({ expr }) => (expr.kind === 'column' && expr.range === only.alias ? expr.column : '')),
  )
  const key = only.table.uniqueIndexes.find((index) => index.isPrimary && index.isImmediate)
  return key?.columns.every((column) => by.has(column)) ?? false
}

/** Whether it is only `SELECT … FROM … WHERE`, so conditions on its rows can be moved out. */
export function isSimple(query: Query, catalog: PolicyCatalog): boolean {
  return isBare(query) && !query.targets.some((target) => hasAggregate(target.expr, catalog))
}

/** @throws {Refusal} if a query depending on the row cannot be flattened, with the obstacle */
export function checkOpenable(query: Query, catalog: PolicyCatalog): void {
  if (query.setOperation) refuse('UNION, INTERSECT or EXCEPT in a subquery that depends on the row')
  if (
    query.groupBy.length > 0 ||
    query.having ||
    !isSimple({ ...query, limit: undefined, offset: undefined, ctes: [] }, catalog)
  ) {
    refuse('an aggregate or GROUP BY in a subquery that depends on the row')
  }
  if (query.limit || query.offset) refuse('LIMIT or OFFSET in a subquery that depends on the row')
  if (query.ctes.length > 0) refuse('WITH in a subquery that depends on the row')
  if (query.targets.some((target) => returnsRows(target.expr, { catalog })))
    refuse('a set-returning function in a subquery that depends on the row')
}

/** @throws {Refusal} if a limit is nondeterministic */
export function checkLimit(query: Query, catalog: PolicyCatalog): void {
  const without = withoutLimit(query)
  if (isOrderedWhole(query) || hasEqualRows(query)) return
  if (without.limit || !returnsOneRow(without, catalog)) refuse('which rows a LIMIT or OFFSET leaves is not certain')
}
