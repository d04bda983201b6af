import type { Expr, From, Query } from './expression.ts'

/** Called for each node, parents first. */
export interface Visitor {
  readonly expr?: (expr: Expr) => void
  readonly query?: (query: Query) => void
  readonly from?: (from: From) => void
}

/** Visits `expr` and everything in it, including subqueries, parents first. */
export function walkExpr(expr: Expr, visitor: Visitor): void {
  visitor.expr?.(expr)
  for (const child of childrenOf(expr)) walkExpr(child, visitor)
  if (expr.kind === 'subquery') walkQuery(expr.query, visitor)
}

export function walkQuery(query: Query, visitor: Visitor): void {
  visitor.query?.(query)
  for (const cte of query.ctes) walkQuery(cte.query, visitor)
  if (query.setOperation) {
    walkQuery(query.setOperation.left, visitor)
    walkQuery(query.setOperation.right, visitor)
  }
  for (const from of query.from) walkFrom(from, visitor)
  for (const expr of expressionsOf(query)) walkExpr(expr, visitor)
}

export function walkFrom(from: From, visitor: Visitor): void {
  visitor.from?.(from)
  switch (from.kind) {
    case 'table':
    case 'cte':
    case 'key-function':
      return
    case 'query':
      return walkQuery(from.query, visitor)
    case 'function':
      return walkExpr(from.call, visitor)
    case 'join':
      walkFrom(from.left, visitor)
      walkFrom(from.right, visitor)
      if (from.on) walkExpr(from.on, visitor)
  }
}

/** Returns the direct expressions of a query, without its `FROM`. */
function expressionsOf(query: Query): readonly Expr[] {
  return [
    ...query.targets.map((target) => target.expr),
    ...query.groupBy,
    ...query.orderBy.map((item) => item.expr),
    ...[query.where, query.having, query.limit, query.offset].filter((expr) => expr !== undefined),
  ]
}

/** Returns an expression's operands; for a subquery, its compared values. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'row':
    case 'column':
    case 'constant':
    case 'keyword':
      return []
    case 'cast':
    case 'not':
    case 'test':
    case 'collate':
      return [expr.arg]
    case 'subscript':
      return [expr.arg, ...expr.indexes]
    case 'operator':
      return expr.left ? [expr.left, expr.right] : [expr.right]
    case 'array-operator':
      return [expr.left, expr.right]
    case 'call':
    case 'and':
    case 'or':
    case 'special':
      return expr.args
    case 'case':
      return [
        ...(expr.arg ? [expr.arg] : []),
        ...expr.whens.flatMap((branch) => [branch.when, branch.value]),
        ...(expr.otherwise ? [expr.otherwise] : []),
      ]
    case 'strict':
      return [...expr.guards, expr.body]
    case 'subquery':
      return expr.tests
  }
}
