import { refuse } from '../refusal.ts'
import { returnsRows } from '../syntax/convert-call.ts'
import { conjuncts, type Expr, type From, isEquality, type Query, type Subquery } from '../syntax/expression.ts'
import { freshAlias } from '../syntax/scope.ts'
import { typeOf } from '../syntax/typing.ts'
import { checkOpenable, isSimple, withoutLimit } from './from.ts'
import { liftScalars } from './lift-scalars.ts'
import type { AtomContext, Part } from './link.ts'
import { linkRows } from './link-rows.ts'
import { surveyQuery } from './survey.ts'

/** `EXISTS (query)`, `tests IN (query)` and scalar subqueries. */
export function linkSubquery(atom: Subquery, context: AtomContext): readonly Part[] {
  switch (atom.link) {
    case 'exists': {
      const query = withoutLimit(atom.query)
      checkOpenable(query, context.catalog)
      return linkRows(query.from, conjuncts(query.where), atom.as, context)
    }
    case 'any':
      if (!isEquality(atom.operator))
        return refuse(
          `the row is compared with other tables by ${atom.operator?.name ?? '?'} ANY; only IN can be followed`,
        )
      return linkMembership(atom, context)
    case 'scalar':
      return liftScalars(atom, context) ?? refuse('a subquery over the row cannot be followed')
    case 'all':
    case 'array':
      return refuse(`a subquery under ${atom.link.toUpperCase()} depends on the row`)
  }
}

/** `tests IN (query)`. */
function linkMembership(atom: Subquery, context: AtomContext): readonly Part[] {
  const { query, tests } = atom
  const { catalog } = context
  const isOpen = isSimple(query, catalog) && !query.targets.some((target) => returnsRows(target.expr, context))
  if (isOpen) {
    const equalities = query.targets.map((target, index): Expr => {
      const test = tests[index] ?? refuse('rows of different length')
      return { kind: 'operator', schema: 'pg_catalog', name: '=', left: target.expr, right: test }
    })
    return linkRows(query.from, [...conjuncts(query.where), ...equalities], atom.as, context)
  }
  if (surveyQuery(query, catalog).row.size > 0) {
    checkOpenable(query, context.catalog)
    return refuse('a subquery with a set-returning function depends on the row')
  }
  const alias = freshAlias(context.aliases, 'q1')
  const columns = tests.map((_, index) => `k${index}`)
  const from: From = { kind: 'query', query, lateral: false, alias, columns }
  const equalities = tests.map((test, index): Expr => {
    const [target] = targetsOf(query, index)
    if (target && isAmbiguous(target, context)) refuse('the type of a subquery is not certain')
    const type = targetsOf(query, index)
      .map((one) => typeOf(one, catalog))
      .reduce((left, right) => (left === right ? left : undefined))
    const column: Expr = {
      kind: 'column',
      range: alias,
      column: `k${index}`,
      type,
      nondeterministic: targetsOf(query, index).some((one) => nondeterministicIn(one)),
    }
    return { kind: 'operator', schema: 'pg_catalog', name: '=', left: test, right: column }
  })
  return linkRows([from], equalities, atom.as, context)
}

function isAmbiguous(target: Expr, context: AtomContext): boolean {
  return typeOf(target, context.catalog) === undefined
}

function nondeterministicIn(expr: Expr): boolean {
  if ((expr.kind === 'column' || expr.kind === 'row') && expr.nondeterministic) return true
  return expr.kind === 'collate' && expr.schema !== 'pg_catalog'
}

/** Returns a query's n-th target, for each side of a set operation. */
function targetsOf(query: Query, index: number): readonly Expr[] {
  if (query.setOperation)
    return [...targetsOf(query.setOperation.left, index), ...targetsOf(query.setOperation.right, index)]
  const target = query.targets[index]
  return target ? [target.expr] : refuse('rows of different length')
}
