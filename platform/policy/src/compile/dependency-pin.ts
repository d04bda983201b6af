import type { Catalog } from '../catalog/catalog.ts'
import type { Dependency } from '../plan.ts'
import { isNondeterministic } from '../syntax/convert-query.ts'
import { type Expr, isEquality } from '../syntax/expression.ts'
import { renderExpr } from '../syntax/render.ts'
import { typeOf } from '../syntax/typing.ts'
import { canonicalText, familyOf, isCanonicalInStream, strip } from './keys.ts'
import { surveyExpr } from './survey.ts'

/** `column = <claims>` among the conditions of a query: only such rows of the range count. */
export function pinOf(alias: string, conditions: readonly Expr[], catalog: Catalog): Dependency['pin'] {
  for (const condition of conditions) {
    if (condition.kind !== 'operator' || !isEquality(condition) || !condition.left) continue
    for (const [one, other] of [
      [condition.left, condition.right],
      [condition.right, condition.left],
    ] as const) {
      const column = strip(one, 'value', catalog)
      if (column.kind !== 'column' || column.range !== alias) continue
      const claims = surveyExpr(other, catalog)
      if (
        !claims.claims ||
        claims.tables ||
        claims.role ||
        claims.row.size > 0 ||
        claims.outer.size > 0 ||
        claims.as.size > 0
      )
        continue
      const family = familyOf(typeOf(one, catalog), catalog)
      if (!family || familyOf(typeOf(other, catalog), catalog) !== family || !isCanonicalInStream(family)) continue
      if (isNondeterministic(one) || isNondeterministic(other)) continue
      return { column: column.column, claimSql: canonicalText(renderExpr(other), family) }
    }
  }
  return undefined
}
