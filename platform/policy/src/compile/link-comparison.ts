import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { refuse } from '../refusal.ts'
import { type Expr, type From, isEquality } from '../syntax/expression.ts'
import { freshAlias } from '../syntax/scope.ts'
import { elementOf, typeOf } from '../syntax/typing.ts'
import { createKeyPair, type KeyPair } from './keys.ts'
import { liftScalars } from './lift-scalars.ts'
import { type AtomContext, NOTHING, type Part, rightsOf } from './link.ts'
import { linkRows } from './link-rows.ts'
import { isRowOnly, surveyExpr } from './survey.ts'

/** Links `row = claim`, and `@>`, `<@`, `&&` of arrays: keys of the row equal keys of the user. */
export function linkOperator(atom: Extract<Expr, { kind: 'operator' }>, context: AtomContext): readonly Part[] {
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

/** `row = ANY (claims)` and `claim = ANY (row)`. */
export function linkArrayOperator(
  atom: Extract<Expr, { kind: 'array-operator' }>,
  context: AtomContext,
): readonly Part[] {
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

/** Splits an equality into the side over the row and the side without it: `[row, other]`. */
function sides(
  left: Expr,
  right: Expr,
  catalog: PolicyCatalog,
): readonly [row: Expr, other: Expr, isMirrored: boolean] | undefined {
  const leftSurvey = surveyExpr(left, catalog)
  const rightSurvey = surveyExpr(right, catalog)
  if (isRowOnly(leftSurvey) && rightSurvey.row.size === 0) return [left, right, false]
  if (isRowOnly(rightSurvey) && leftSurvey.row.size === 0) return [right, left, true]
  return undefined
}

function valueKey(row: Expr, claim: Expr, context: AtomContext): Part {
  return {
    ...NOTHING,
    keys: [createKeyPair('value', row, claim, context.catalog)],
    rights: rightsOf(surveyExpr(claim, context.catalog)),
  }
}

/** The user has a key per array element. */
function setKey(kind: KeyPair['kind'], row: Expr, array: Expr, context: AtomContext): Part {
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
  createKeyPair(kind, row, array, catalog, type) // checks the collations inside the array
  return {
    ...NOTHING,
    keys: [createKeyPair(kind, row, claim, catalog)],
    from: [item],
    rights: rightsOf(surveyExpr(array, catalog)),
  }
}
