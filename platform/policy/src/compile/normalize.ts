import { refuse } from '../refusal.ts'
import { type Expr, isConstant } from '../syntax/expression.ts'

/** A conjunction of atoms. */
export type Conjunct = readonly Expr[]

/** A policy that falls into more is refused: each part costs a bucket definition. */
export const DISJUNCTS_MAX = 64

/**
 * Brings a condition to a disjunction of conjunctions. What counts is only where the condition is true: NULL and false let no row through.
 *
 * @param isWhole - parts that need not be taken apart, such as those that read nothing but the row
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
      // `x is true` is true where x is; `x is not true` is not where (not x) is true.
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

/** Each branch of a `case` whose conditions need not be taken apart: when it is the one that counts, and what it says. */
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

/** @throws {Refusal} always: the policies have more alternatives than are told apart */
export function refuseTooMany(): never {
  return refuse(`the policies fall into more than ${DISJUNCTS_MAX} alternatives`)
}

/** `and` of disjunctions: every choice of one conjunct from each. */
export function product(parts: readonly (readonly Conjunct[])[]): readonly Conjunct[] {
  let result: readonly Conjunct[] = [[]]
  for (const part of parts) result = bounded(result.flatMap((left) => part.map((right) => [...left, ...right])))
  return result
}

function bounded(conjuncts: readonly Conjunct[]): readonly Conjunct[] {
  if (conjuncts.length > DISJUNCTS_MAX) refuseTooMany()
  return conjuncts
}
