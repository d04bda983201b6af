import { refuse } from '../refusal.ts'
import { type Expr, isConstant } from '../syntax/expression.ts'

/** A conjunction of atoms. */
export type Conjunct = readonly Expr[]

/** Maximum disjuncts of a policy; each costs a bucket definition. */
export const DISJUNCTS_MAX = 64

/**
 * Converts a condition to disjunctive normal form, preserving only where it is true: NULL and false are equivalent.
 *
 * @param isWhole - parts to keep whole, such as those reading only the row
 */
export function toDisjuncts(expr: Expr, isWhole: (part: Expr) => boolean): readonly Conjunct[] {
  return split(expr, false, isWhole)
}

function split(expr: Expr, negated: boolean, isWhole: (part: Expr) => boolean): readonly Conjunct[] {
  if (isConstant(expr, negated ? 'false' : 'true')) return [[]]
  if (isConstant(expr, negated ? 'true' : 'false') || isConstant(expr, 'null')) return []
  if (isWhole(expr)) return [[negated ? { kind: 'not', arg: expr } : expr]]
  switch (expr.kind) {
    case 'and':
    case 'or': {
      const parts = expr.args.map((arg) => split(arg, negated, isWhole))
      return (expr.kind === 'and') === negated ? bounded(parts.flat()) : product(parts)
    }
    case 'not':
      return split(expr.arg, !negated, isWhole)
    case 'test':
      // `x is true` is equivalent to x; `x is not true` is not equivalent to (not x).
      if ((expr.test === 'is true' && !negated) || (expr.test === 'is not false' && negated))
        return split(expr.arg, negated && expr.test !== 'is true', isWhole)
      if ((expr.test === 'is false' && !negated) || (expr.test === 'is not true' && negated))
        return split(expr.arg, expr.test === 'is false', isWhole)
      break
    case 'special': {
      const [value, otherwise, third] = expr.args
      if (
        expr.form === 'coalesce' &&
        value &&
        otherwise &&
        !third &&
        isConstant(otherwise, negated ? 'true' : 'false')
      ) {
        return split(value, negated, isWhole)
      }
      break
    }
    case 'case': {
      const parts = expandCase(expr, isWhole)
      if (parts)
        return bounded(
          parts.flatMap(({ conditions, value }) => product([[conditions], split(value, negated, isWhole)])),
        )
      break
    }
    case 'strict': {
      const guards = expr.guards.map((guard): Expr => ({ kind: 'test', test: 'is not null', arg: guard }))
      return product([[guards], split(expr.body, negated, isWhole)])
    }
    case 'operator':
      if (negated && expr.schema === 'pg_catalog' && expr.name === '<>') return [[{ ...expr, name: '=' }]]
      break
    default:
  }
  return [[negated ? { kind: 'not', arg: expr } : expr]]
}

/** Expands a CASE whose conditions can stay whole into branches with their conditions. */
function expandCase(
  expr: Extract<Expr, { kind: 'case' }>,
  isWhole: (part: Expr) => boolean,
): readonly { readonly conditions: Conjunct; readonly value: Expr }[] | undefined {
  if (expr.arg || !expr.whens.every((branch) => isWhole(branch.when))) return undefined
  const before: Expr[] = []
  const branches = expr.whens.map((branch) => {
    const conditions = [...before, branch.when]
    before.push({ kind: 'test', test: 'is not true', arg: branch.when })
    return { conditions, value: branch.value }
  })
  return expr.otherwise ? [...branches, { conditions: before, value: expr.otherwise }] : branches
}

/** @throws {Refusal} always: too many alternatives */
export function refuseTooMany(): never {
  return refuse(`the policies fall into more than ${DISJUNCTS_MAX} alternatives`)
}

/** Conjunction of disjunctions: the product of their conjuncts. */
export function product(parts: readonly (readonly Conjunct[])[]): readonly Conjunct[] {
  let result: readonly Conjunct[] = [[]]
  for (const part of parts) result = bounded(result.flatMap((left) => part.map((right) => [...left, ...right])))
  return result
}

function bounded(conjuncts: readonly Conjunct[]): readonly Conjunct[] {
  if (conjuncts.length > DISJUNCTS_MAX) refuseTooMany()
  return conjuncts
}
