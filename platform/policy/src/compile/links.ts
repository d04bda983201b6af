import { refuse } from '../refusal.ts'
import type { Expr } from '../syntax/expression.ts'
import { liftScalars } from './lift-scalars.ts'
import { type Alternative, combine, type AtomContext, type LinkContext, type Part, rightsOf } from './link.ts'
import { linkArrayOperator, linkOperator } from './link-comparison.ts'
import { checkedFilter } from './link-rows.ts'
import { linkSubquery } from './link-subquery.ts'
import { isRowOnly, surveyExpr } from './survey.ts'

/** Returns all ways to satisfy a conjunction of atoms. */
export function linkConjunct(atoms: readonly Expr[], context: LinkContext): readonly Alternative[] {
  return combine(atoms.map((atom) => linkAtom(atom, { ...context, linkMixed })))
}

function linkAtom(atom: Expr, context: AtomContext): readonly Alternative[] {
  const survey = surveyExpr(atom, context.catalog)
  if (survey.row.size === 0)
    return [{ filters: [], links: [{ keys: [], from: [], where: [atom], rights: rightsOf(survey) }] }]
  if (isRowOnly(survey)) return [{ filters: [checkedFilter(atom, context.catalog)], links: [] }]
  return linkMixed(atom, context).map(({ filters, hoisted, ...link }) => ({ filters, links: [link, ...hoisted] }))
}

function linkMixed(atom: Expr, context: AtomContext): readonly Part[] {
  switch (atom.kind) {
    case 'operator':
      return linkOperator(atom, context)
    case 'array-operator':
      return linkArrayOperator(atom, context)
    case 'subquery':
      return linkSubquery(atom, context)
    case 'not':
      return refuse(
        atom.arg.kind === 'subquery'
          ? 'NOT EXISTS and NOT IN over the row cannot be followed: access that others lack is not a list of keys'
          : 'a negated comparison of the row with the person or with other tables cannot be followed',
      )
    default:
      return (
        liftScalars(atom, context) ??
        refuse(`the row and the person are tied together in a way that cannot be followed (${atom.kind})`)
      )
  }
}
