import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { returnsRows } from '../syntax/convert-call.ts'
import { conjuncts, type Expr, type From, isEquality, type Rights, type Subquery } from '../syntax/expression.ts'
import { isSimple, openJoins, withoutLimit } from './from.ts'

/** The rights a range is read with: `undefined` for the caller's, `mixed` if its tables and functions use different ones. */
export type RangeRights = Rights | undefined | 'mixed'

/** The ranges of a query and of its `EXISTS` and `IN` conditions, with everything that holds for a combination of their rows. */
export interface OpenedConditions {
  /** By alias. */
  readonly ranges: ReadonlyMap<string, { readonly item: From; readonly rights: RangeRights }>
  readonly conditions: readonly { readonly expr: Expr; readonly rights: RangeRights }[]
}

/** Flattens the subqueries among the conditions. A row counts if some combination satisfies all conditions, so any subset of them yields a superset. */
export function openConditions(
  items: readonly From[],
  conditions: readonly Expr[],
  rights: RangeRights,
  catalog: PolicyCatalog,
): OpenedConditions {
  const ranges = new Map<string, { readonly item: From; readonly rights: RangeRights }>()
  const opened: { readonly expr: Expr; readonly rights: RangeRights }[] = []
  const addItems = (from: readonly From[], own: RangeRights): void => {
    // Rows of an outer join are not rows of its tables.
    for (const item of from) if (item.kind !== 'join') ranges.set(item.alias, { item, rights: own })
  }
  const add = (expr: Expr, around: RangeRights): void => {
    const inner = expr.kind === 'subquery' ? openSubquery(expr, around, catalog) : undefined
    if (!inner) {
      opened.push({ expr, rights: around })
      return
    }
    addItems(inner.items, inner.rights)
    for (const condition of inner.conditions) add(condition, inner.rights)
  }
  addItems(items, rights)
  for (const condition of conditions) add(condition, rights)
  return { ranges, conditions: opened }
}

interface OpenedSubquery {
  readonly items: readonly From[]
  readonly conditions: readonly Expr[]
  readonly rights: RangeRights
}

function openSubquery(expr: Subquery, around: RangeRights, catalog: PolicyCatalog): OpenedSubquery | undefined {
  const rights = expr.as ?? around
  const equalities: Expr[] = []
  if (expr.link === 'any') {
    if (!isEquality(expr.operator) || expr.query.targets.some(({ expr: target }) => returnsRows(target, { catalog })))
      return undefined
    // The compared expressions run with the outer query's rights.
    const isPlain = expr.tests.every((test) => test.kind === 'column' || test.kind === 'row')
    if (!isPlain && rights !== around) return undefined
    for (const [index, right] of expr.tests.entries()) {
      const left = expr.query.targets[index]?.expr
      if (!left) return undefined
      equalities.push({ kind: 'operator', schema: 'pg_catalog', name: '=', left, right })
    }
  } else if (expr.link !== 'exists') return undefined
  const query = expr.link === 'exists' ? withoutLimit(expr.query) : expr.query
  if (!isSimple(query, catalog)) return undefined
  const { items, conditions } = openJoins(query.from)
  return { items, conditions: [...conditions, ...conjuncts(query.where), ...equalities], rights }
}
