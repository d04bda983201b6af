import type { Catalog } from '../catalog/catalog.ts'
import { refuse } from '../refusal.ts'
import { returnsRows } from '../syntax/convert-call.ts'
import {
  conjuncts,
  type Expr,
  type From,
  isEquality,
  type Query,
  type Rights,
  type Subquery,
} from '../syntax/expression.ts'
import { freshAlias } from '../syntax/scope.ts'
import { elementOf, isImmutable, typeOf } from '../syntax/typing.ts'
import { isSimple, openJoins, returnsOneRow, withoutLimit } from './from.ts'
import { createKeyPair, type KeyPair } from './keys.ts'
import {
  type Alternative,
  combine,
  combineParts,
  type LinkContext,
  NOTHING,
  oneRole,
  type Part,
  rightsOf,
  rightsOfItems,
} from './link.ts'
import { toDisjuncts } from './normalize.ts'
import { isRowOnly, surveyExpr, surveyFrom, surveyQuery } from './survey.ts'

/** Every way in which a conjunction of atoms can be met. */
export function linkConjunct(atoms: readonly Expr[], context: LinkContext): readonly Alternative[] {
  return combine(atoms.map((atom) => linkAtom(atom, context)))
}

/** Whether a condition can stay in one piece: nothing in it ties the row to anything else. */
export function isWhole(expr: Expr, catalog: Catalog): boolean {
  const survey = surveyExpr(expr, catalog)
  return survey.row.size === 0 ? survey.as.size <= 1 : isRowOnly(survey)
}

function linkAtom(atom: Expr, context: LinkContext): readonly Alternative[] {
  const survey = surveyExpr(atom, context.catalog)
  if (survey.row.size === 0)
    return [{ filters: [], links: [{ keys: [], from: [], where: [atom], rights: rightsOf(survey) }] }]
  if (isRowOnly(survey)) return [{ filters: [checkedFilter(atom, context.catalog)], links: [] }]
  return linkMixed(atom, context).map(({ filters, hoisted, ...link }) => ({ filters, links: [link, ...hoisted] }))
}

function checkedFilter(atom: Expr, catalog: Catalog): Expr {
  if (!isImmutable(atom, catalog)) {
    return refuse(
      'a condition on the row depends on settings of the session, such as its time zone, or on a function that is not immutable',
    )
  }
  return atom
}

function linkMixed(atom: Expr, context: LinkContext): readonly Part[] {
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

/** One side over the row alone, the other without the row: `[row, other]`. */
function sides(
  left: Expr,
  right: Expr,
  catalog: Catalog,
): readonly [row: Expr, other: Expr, isMirrored: boolean] | undefined {
  const leftSurvey = surveyExpr(left, catalog)
  const rightSurvey = surveyExpr(right, catalog)
  if (isRowOnly(leftSurvey) && rightSurvey.row.size === 0) return [left, right, false]
  if (isRowOnly(rightSurvey) && leftSurvey.row.size === 0) return [right, left, true]
  return undefined
}

function linkOperator(atom: Extract<Expr, { kind: 'operator' }>, context: LinkContext): readonly Part[] {
  const { catalog } = context
  const { left, right, name, schema } = atom
  if (
    left?.kind === 'special' &&
    left.form === 'row' &&
    right.kind === 'special' &&
    right.form === 'row' &&
    isEquality(atom)
  ) {
    const pairs = left.args.map((one, index): Expr => ({
      ...atom,
      left: one,
      right: right.args[index] ?? refuse('rows of different length'),
    }))
    return linkRows([], pairs, undefined, context)
  }
  const apart = left && sides(left, right, catalog)
  if (!apart) return liftScalars(atom, context) ?? refuse(`the row and the person are mixed on one side of ${name}`)
  const [row, other, isMirrored] = apart
  if (schema !== 'pg_catalog') return refuse(`the operator ${schema}.${name} is not Postgres's own`)
  if (name === '=') return [valueKey(row, other, context)]
  const rowElement = elementOf(typeOf(row, catalog), catalog)
  const otherElement = elementOf(typeOf(other, catalog), catalog)
  if (rowElement !== undefined && otherElement !== undefined) {
    if (name === '&&') return [setKey('elements', row, other, context)]
    const contains = isMirrored ? '<@' : '@>'
    const [single, more] = other.kind === 'special' && other.form === 'array' ? other.args : []
    if (name === contains && single && !more) {
      return [
        {
          ...NOTHING,
          keys: [createKeyPair('elements', row, single, catalog)],
          rights: rightsOf(surveyExpr(single, catalog)),
        },
      ]
    }
  }
  return refuse(`the row is compared with the person by ${name}; only equality can be followed`)
}

function linkArrayOperator(atom: Extract<Expr, { kind: 'array-operator' }>, context: LinkContext): readonly Part[] {
  const apart = sides(atom.left, atom.right, context.catalog)
  if (!apart)
    return (
      liftScalars(atom, context) ?? refuse('the row and the person are mixed on one side of a comparison with an array')
    )
  if (atom.quantifier === 'all' || !isEquality(atom)) {
    return refuse(
      `the row is compared with the person by ${atom.name} ${atom.quantifier.toUpperCase()}; only = ANY can be followed`,
    )
  }
  const [row, other, isMirrored] = apart
  if (!isMirrored) return [setKey('value', row, other, context)]
  return [
    {
      ...NOTHING,
      keys: [createKeyPair('elements', row, other, context.catalog)],
      rights: rightsOf(surveyExpr(other, context.catalog)),
    },
  ]
}

function valueKey(row: Expr, claim: Expr, context: LinkContext): Part {
  return {
    ...NOTHING,
    keys: [createKeyPair('value', row, claim, context.catalog)],
    rights: rightsOf(surveyExpr(claim, context.catalog)),
  }
}

/** The person has a key for each element of an array. */
function setKey(kind: KeyPair['kind'], row: Expr, array: Expr, context: LinkContext): Part {
  const { catalog } = context
  const type = elementOf(typeOf(array, catalog), catalog)
  const alias = freshAlias(context.aliases, 'q1')
  const call: Expr = {
    kind: 'call',
    schema: 'pg_catalog',
    name: 'unnest',
    args: [array],
    star: false,
    distinct: false,
    as: undefined,
  }
  const claim: Expr = { kind: 'column', range: alias, column: 'k0', type, nondeterministic: false }
  const item: From = { kind: 'function', call, ordinality: false, lateral: true, alias, columns: ['k0'] }
  createKeyPair(kind, row, array, catalog, type) // looks at the collations inside the array
  return {
    ...NOTHING,
    keys: [createKeyPair(kind, row, claim, catalog)],
    from: [item],
    rights: rightsOf(surveyExpr(array, catalog)),
  }
}

function linkSubquery(atom: Subquery, context: LinkContext): readonly Part[] {
  switch (atom.link) {
    case 'exists': {
      const query = withoutLimit(atom.query)
      checkSimple(query, context)
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
function linkMembership(atom: Subquery, context: LinkContext): readonly Part[] {
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
    checkSimple(query, context)
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

function isAmbiguous(target: Expr, context: LinkContext): boolean {
  return typeOf(target, context.catalog) === undefined
}

function nondeterministicIn(expr: Expr): boolean {
  if ((expr.kind === 'column' || expr.kind === 'row') && expr.nondeterministic) return true
  return expr.kind === 'collate' && expr.schema !== 'pg_catalog'
}

/** The n-th target of a query, of each side of a set operation. */
function targetsOf(query: Query, index: number): readonly Expr[] {
  if (query.setOperation)
    return [...targetsOf(query.setOperation.left, index), ...targetsOf(query.setOperation.right, index)]
  const target = query.targets[index]
  return target ? [target.expr] : refuse('rows of different length')
}

function checkSimple(query: Query, context: LinkContext): void {
  if (query.setOperation) refuse('UNION, INTERSECT or EXCEPT in a subquery that depends on the row')
  if (
    query.groupBy.length > 0 ||
    query.having ||
    !isSimple({ ...query, limit: undefined, offset: undefined, ctes: [] }, context.catalog)
  ) {
    refuse('an aggregate or GROUP BY in a subquery that depends on the row')
  }
  if (query.limit || query.offset) refuse('LIMIT or OFFSET in a subquery that depends on the row')
  if (query.ctes.length > 0) refuse('WITH in a subquery that depends on the row')
  if (query.targets.some((target) => returnsRows(target.expr, context)))
    refuse('a set-returning function in a subquery that depends on the row')
}

/**
 * There is a combination of rows of `from` that meets all `conditions`: the equalities with the row become keys, conditions on the row alone
 * filters, and what is left says whose keys they are.
 */
function linkRows(
  from: readonly From[],
  conditions: readonly Expr[],
  as: Rights | undefined,
  context: LinkContext,
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
  context: LinkContext,
): readonly Part[] {
  const { catalog } = context
  const parts = atoms.map((atom): readonly Part[] => {
    const survey = surveyExpr(atom, catalog)
    if (survey.row.size === 0) return [{ ...NOTHING, where: [atom], rights: rightsOf(survey) }]
    if (isRowOnly(survey)) return [{ ...NOTHING, filters: [checkedFilter(atom, catalog)] }]
    // It does not depend on the rows around it: as good outside.
    if (survey.outer.size === 0 && items.length > 0 && atom.kind === 'subquery') {
      return linkMixed(atom, context).map(({ filters, hoisted, ...link }) => ({
        ...NOTHING,
        filters,
        hoisted: [link, ...hoisted],
      }))
    }
    return linkMixed(atom, context)
  })
  const start: Part = { ...NOTHING, from: items, rights: rightsOfItems(items, as, catalog) }
  return combineParts(parts, start)
}

const STRICT_OPERATORS: ReadonlySet<string> = new Set([
  '=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  '~~',
  '!~~',
  '~~*',
  '!~~*',
  '~',
  '~*',
  '@>',
  '<@',
  '&&',
  '->',
  '->>',
  '+',
  '-',
  '*',
  '/',
])

/**
 * `(select x from t where …) = y` is true where there is a row of `t` with `x = y`, provided there is never more than one: such subqueries are
 * replaced by their target, and their tables joined.
 */
function liftScalars(atom: Expr, context: LinkContext): readonly Part[] | undefined {
  const { catalog } = context
  const from: From[] = []
  const conditions: Expr[] = []
  const rights = new Set<Rights | undefined>()
  let isLifted = false

  const lift = (expr: Expr): Expr => {
    switch (expr.kind) {
      case 'cast':
        return { ...expr, arg: lift(expr.arg) }
      case 'operator':
        return expr.schema === 'pg_catalog' && STRICT_OPERATORS.has(expr.name)
          ? { ...expr, left: expr.left && lift(expr.left), right: lift(expr.right) }
          : expr
      case 'array-operator':
        return expr.quantifier === 'any' && expr.schema === 'pg_catalog'
          ? { ...expr, left: lift(expr.left), right: lift(expr.right) }
          : expr
      case 'strict':
        isLifted = true
        for (const guard of expr.guards) conditions.push({ kind: 'test', test: 'is not null', arg: guard })
        return lift(expr.body)
      case 'subquery':
        return expr.link === 'scalar' && surveyExpr(expr, catalog).row.size > 0 ? liftQuery(expr) : expr
      default:
        return expr
    }
  }
  const liftQuery = (expr: Subquery): Expr => {
    const query = withoutLimit(expr.query)
    checkSimple(query, context)
    const [target] = query.targets
    if (!target || !returnsOneRow(query, catalog)) {
      return refuse(
        'a subquery over the row may return several rows, and which one counts is not certain (no unique index says otherwise)',
      )
    }
    isLifted = true
    if (query.from.length > 0) rights.add(expr.as)
    from.push(...query.from)
    conditions.push(...conjuncts(query.where))
    return lift(target.expr)
  }

  const lifted = lift(atom)
  if (!isLifted) return undefined
  return linkRows(from, [...conditions, lifted], [...oneRole(rights)][0], context)
}
