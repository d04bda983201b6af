import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { isClaimFunction, isClaimSetting, needsBodyAnalysis } from '../syntax/convert-call.ts'
import type { Expr, From, Query, Rights } from '../syntax/expression.ts'
import { functionsOf } from '../syntax/typing.ts'
import { type Visitor, walkExpr, walkFrom, walkQuery } from '../syntax/walk.ts'

/** What an expression or query reads. */
export interface Survey {
  /** Columns of the row. */
  readonly row: ReadonlySet<string>
  /** Ranges of outer queries. */
  readonly outer: ReadonlySet<string>
  /** It reads request data: the claims, or the current role. */
  readonly claims: boolean
  /** It reads tables, or calls functions that may. */
  readonly tables: boolean
  /** It references the current role (`current_user`). */
  readonly role: boolean
  /** Rights of its tables and functions; `undefined` is the caller. */
  readonly as: ReadonlySet<Rights | undefined>
}

/** Surveys an expression including subqueries. */
export function surveyExpr(expr: Expr, catalog: PolicyCatalog): Survey {
  return survey(catalog, (visitor) => walkExpr(expr, visitor))
}

/** Surveys a query, excluding its own ranges. */
export function surveyQuery(query: Query, catalog: PolicyCatalog): Survey {
  return survey(catalog, (visitor) => walkQuery(query, visitor))
}

/** Surveys a `FROM` item. */
export function surveyFrom(from: From, catalog: PolicyCatalog): Survey {
  return survey(catalog, (visitor) => walkFrom(from, visitor))
}

function survey(catalog: PolicyCatalog, walk: (visitor: Visitor) => void): Survey {
  const row = new Set<string>()
  const named = new Set<string>()
  const bound = new Set<string>()
  const as = new Set<Rights | undefined>()
  let claims = false
  let tables = false
  let role = false
  walk({
    from: (from) => {
      if (from.kind !== 'join') bound.add(from.alias)
      if (from.kind === 'table' || from.kind === 'cte') tables = true
    },
    expr: (expr) => {
      if (expr.kind === 'row') row.add(expr.column)
      if (expr.kind === 'column') named.add(expr.range)
      if (expr.kind === 'subquery') as.add(expr.as)
      if (expr.kind === 'keyword') role = claims = true
      if ((expr.kind === 'operator' || expr.kind === 'array-operator') && expr.schema !== 'pg_catalog') {
        const candidates = catalog.operators(expr.schema, expr.name)
        if (candidates.some((operator) => operator.volatility !== 'i')) claims = tables = true
      }
      if (expr.kind !== 'call') return
      if (isClaimFunction(expr) || isClaimSetting(expr)) claims = true
      else if (expr.schema !== 'pg_catalog' && functionsOf(expr, catalog).some(needsBodyAnalysis)) {
        as.add(expr.as)
        claims = tables = true // its body may read anything
      }
    },
  })
  return { row, outer: new Set([...named].filter((range) => !bound.has(range))), claims, tables, role, as }
}

/** Whether it depends only on the row. */
export function isRowOnly(survey: Survey): boolean {
  return survey.row.size > 0 && survey.outer.size === 0 && !survey.claims && !survey.tables
}

/** Whether a condition can stay whole: it does not relate the row to anything else. */
export function isWhole(expr: Expr, catalog: PolicyCatalog): boolean {
  const survey = surveyExpr(expr, catalog)
  return survey.row.size === 0 ? survey.as.size <= 1 : isRowOnly(survey)
}
