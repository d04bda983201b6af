import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { INSTEAD_OF_SESSION } from '../syntax/policy-advice.ts'
import { refuse } from '../refusal.ts'
import type { Expr, From, Rights } from '../syntax/expression.ts'
import { clockComparisonsIn, isImmutableBesideClock } from '../syntax/clock.ts'
import { openJoins } from './from.ts'
import { combineParts, type AtomContext, NOTHING, type Part, rightsOf, rightsOfItems } from './link.ts'
import { toDisjuncts } from './normalize.ts'
import { isRowOnly, isWhole, surveyExpr, surveyFrom } from './survey.ts'

/**
 * Links the existence of a combination of `from` rows satisfying all `conditions`: equalities with the row become keys, row-only conditions become filters, and
 * the rest selects the users' keys.
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
    // Independent of surrounding rows, so it can be hoisted.
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

/** Checks that a filter gives the same result outside the user's session, because it is evaluated for changes. */
export function checkedFilter(atom: Expr, catalog: PolicyCatalog): Expr {
  if (!isImmutableBesideClock(atom, catalog)) {
    clockComparisonsIn(atom, catalog)
    return refuse(
      `a condition on the row depends on settings of the session, such as its time zone, or on a function that is not immutable: ${INSTEAD_OF_SESSION}`,
    )
  }
  return atom
}
