import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { INSTEAD_OF_SESSION } from '../syntax/what-to-write.ts'
import { refuse } from '../refusal.ts'
import type { Expr, From, Rights } from '../syntax/expression.ts'
import { clockComparisonsIn, isImmutableBesideClock } from '../syntax/clock.ts'
import { openJoins } from './from.ts'
import { combineParts, type AtomContext, NOTHING, type Part, rightsOf, rightsOfItems } from './link.ts'
import { toDisjuncts } from './normalize.ts'
import { isRowOnly, isWhole, surveyExpr, surveyFrom } from './survey.ts'

/**
 * There is a combination of rows of `from` that meets all `conditions`: the equalities with the row become keys, conditions on the row alone
 * filters, and the remaining conditions say whose keys they are.
 */
export function linkRows(
  from: readonly From[],
  conditions: readonly Expr[],
  as: Rights | undefined,
  context: AtomContext,
): readonly Part[] {
  const { catalog } = context
  const opened = openJoins(from)
  for (const item of opened.items) {
    if (surveyFrom(item, catalog).row.size > 0) {
      refuse(
        item.kind === 'join'
          ? 'the row is compared inside an outer join'
          : 'a subquery or function in FROM depends on the row',
      )
    }
  }
  const all: Expr = { kind: 'and', args: [...opened.conditions, ...conditions] }
  const disjuncts = toDisjuncts(all, (part) => isWhole(part, catalog))
  return disjuncts.flatMap((atoms) => linkDisjunct(opened.items, atoms, as, context))
}

function linkDisjunct(
  items: readonly From[],
  atoms: readonly Expr[],
  as: Rights | undefined,
  context: AtomContext,
): readonly Part[] {
  const { catalog } = context
  const parts = atoms.map((atom): readonly Part[] => {
    const survey = surveyExpr(atom, catalog)
    if (survey.row.size === 0) return [{ ...NOTHING, where: [atom], rights: rightsOf(survey) }]
    if (isRowOnly(survey)) return [{ ...NOTHING, filters: [checkedFilter(atom, catalog)] }]
    // It does not depend on the rows around it: as good outside.
    if (survey.outer.size === 0 && items.length > 0 && atom.kind === 'subquery') {
      return context.linkMixed(atom, context).map(({ filters, hoisted, ...link }) => ({
        ...NOTHING,
        filters,
        hoisted: [link, ...hoisted],
      }))
    }
    return context.linkMixed(atom, context)
  })
  const start: Part = { ...NOTHING, from: items, rights: rightsOfItems(items, as, catalog) }
  return combineParts(parts, start)
}

/** A row filter is evaluated for a change, far from the person's session: it has to give the same there. */
export function checkedFilter(atom: Expr, catalog: PolicyCatalog): Expr {
  if (!isImmutableBesideClock(atom, catalog)) {
    clockComparisonsIn(atom, catalog)
    return refuse(
      `a condition on the row depends on settings of the session, such as its time zone, or on a function that is not immutable: ${INSTEAD_OF_SESSION}`,
    )
  }
  return atom
}
