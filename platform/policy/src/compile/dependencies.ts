import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { Dependency, KeyFunction } from '../plan.ts'
import { isClock, readsClock, refuseClock } from '../syntax/clock.ts'
import { conjuncts, type Expr, type From, parseRights, type Query, type Rights } from '../syntax/expression.ts'
import { childrenOf, walkExpr, walkQuery } from '../syntax/walk.ts'
import { clockDependency, type ClockedNames, NO_NAMES } from './clock-dependencies.ts'
import { pinOf } from './dependency-pin.ts'
import { type Follow, type Found, type Reader, readerAs, type Visit } from './dependency-reading.ts'
import { checkLimit, openJoins, withoutLimit } from './from.ts'
import { visitCall, visitOperator } from './function-dependencies.ts'
import { mergeDependencies } from './merge-dependencies.ts'
import { visitTable } from './table-dependencies.ts'

/** Dependencies of a query or condition. */
export interface Dependencies {
  readonly dependencies: readonly Dependency[]
  /** Key functions used to evaluate pins. */
  readonly keyFunctions: readonly KeyFunction[]
}

/**
 * Returns everything a query reads as `role`: its tables, those read by their policies, and those read by called functions.
 *
 * @param table - the table whose policy contains the query: reading it under the same policies would recurse; {@link NO_TABLE} for a stream
 * @param rights - of the `SECURITY DEFINER` function containing the query; `role` is its owner
 * @throws {Refusal} if something cannot be tracked, or the role may not read it
 */
export function dependenciesOfQuery(
  query: Query,
  role: number,
  table: number,
  catalog: PolicyCatalog,
  rights?: Rights,
): Dependencies {
  const searchPath = rights === undefined ? catalog.input.searchPath : parseRights(rights).searchPath
  return collect((found) =>
    visitQueryWhole(query, { role, searchPath, rights, tables: [table], functions: [] }, found, catalog),
  )
}

/** The same for a condition, such as a whole policy. */
export function dependenciesOfExpr(expr: Expr, role: number, table: number, catalog: PolicyCatalog): Dependencies {
  const { searchPath } = catalog.input
  return collect((found) =>
    visitExprWhole(
      expr,
      { role, searchPath, rights: undefined, tables: [table], functions: [] },
      found,
      catalog,
      'own',
    ),
  )
}

function collect(visit: (found: Found) => void): Dependencies {
  const found: Found = new Map()
  visit(found)
  const all = [...found.values()]
  return {
    dependencies: mergeDependencies(all.map(({ dependency }) => dependency)),
    keyFunctions: all.flatMap(({ keyFunctions }) => keyFunctions),
  }
}

const follow: Follow = { query: visitQueryWhole, expr: visitExprWhole }

function visitQueryWhole(
  query: Query,
  reader: Reader,
  found: Found,
  catalog: PolicyCatalog,
  foreign: ReadonlySet<string> = NO_NAMES.foreign,
): void {
  const columns = new Map<string, Set<string>>()
  walkQuery(query, { expr: (expr) => noteColumn(expr, columns) })
  visitQuery(query, reader, { follow, found, catalog, columns, names: { ranges: new Map(), row: 'unknown', foreign } })
}

function visitExprWhole(
  expr: Expr,
  reader: Reader,
  found: Found,
  catalog: PolicyCatalog,
  row: ClockedNames['row'],
): void {
  const columns = new Map<string, Set<string>>()
  walkExpr(expr, { expr: (inner) => noteColumn(inner, columns) })
  const names = { ranges: new Map(), row, foreign: NO_NAMES.foreign }
  visitExpr(expr, reader, { follow, found, catalog, columns, names })
}

function noteColumn(expr: Expr, columns: Map<string, Set<string>>): void {
  if (expr.kind !== 'column') return
  const known = columns.get(expr.range)
  if (known) known.add(expr.column)
  else columns.set(expr.range, new Set([expr.column]))
}

function visitQuery(query: Query, reader: Reader, visit: Visit): void {
  if (query.limit || query.offset) checkLimit(query, visit.catalog)
  for (const cte of query.ctes) visitQuery(cte.query, reader, visit)
  if (query.setOperation) {
    visitQuery(query.setOperation.left, reader, visit)
    visitQuery(query.setOperation.right, reader, visit)
  }
  const { items, conditions } = openJoins(query.from)
  const all = [...conditions, ...conjuncts(query.where)]
  for (const item of items) visitFrom(item, { items, conditions: all }, reader, visit)
  for (const condition of all) visitExpr(condition, reader, visit)
  for (const expr of [
    ...query.targets.map((target) => target.expr),
    ...query.groupBy,
    ...query.orderBy.map((one) => one.expr),
  ]) {
    visitExpr(expr, reader, visit)
  }
  if (query.having) visitExpr(query.having, reader, visit)
}

/** The query containing a range. */
interface Around {
  readonly items: readonly From[]
  /** Conditions that hold for every row of the query. */
  readonly conditions: readonly Expr[]
}

/** Inside an outer join nothing holds for every row. */
const OUTER_JOIN: Around = { items: [], conditions: [] }

function visitFrom(from: From, around: Around, reader: Reader, visit: Visit): void {
  switch (from.kind) {
    case 'table': {
      const context = { ...around, rights: reader.rights, role: reader.role, catalog: visit.catalog }
      const pinned = pinOf({ alias: from.alias }, context)
      if (!from.table.view) visit.names.ranges.set(from.alias, { table: from.table, pinned })
      return visitTable(from.table, visit.columns.get(from.alias) ?? new Set(), pinned, reader, visit)
    }
    case 'cte':
    case 'key-function':
      return
    case 'query':
      return visitQuery(from.query, reader, visit)
    case 'function':
      return visitExpr(from.call, reader, visit)
    case 'join':
      visitFrom(from.left, OUTER_JOIN, reader, visit)
      visitFrom(from.right, OUTER_JOIN, reader, visit)
      if (from.on) visitExpr(from.on, reader, visit)
  }
}

function visitExpr(expr: Expr, reader: Reader, visit: Visit): void {
  if (expr.kind === 'operator' && readsClock(expr)) {
    const { values, dependency } = clockDependency(expr, visit.names, visit.catalog)
    if (dependency) visit.found.set(JSON.stringify(dependency), { dependency, keyFunctions: [] })
    for (const value of values) visitExpr(value, reader, visit)
    return
  }
  if (isClock(expr)) refuseClock()
  for (const child of childrenOf(expr)) visitExpr(child, reader, visit)
  if (expr.kind === 'call') visitCall(expr, reader, visit)
  if (expr.kind === 'operator' || expr.kind === 'array-operator') visitOperator(expr, reader, visit)
  if (expr.kind !== 'subquery') return
  // `exists` is independent of which rows remain.
  const query = expr.link === 'exists' ? withoutLimit(expr.query) : expr.query
  visitQuery(query, readerAs(expr.as, reader), visit)
}
