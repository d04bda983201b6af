import { refuse } from '../refusal.ts'
import { conjuncts, type Expr, type From, type Rights, type Subquery } from '../syntax/expression.ts'
import { checkOpenable, returnsOneRow, withoutLimit } from './from.ts'
import { type AtomContext, oneRole, type Part } from './link.ts'
import { linkRows } from './link-rows.ts'
import { surveyExpr } from './survey.ts'

/** Operators returning NULL for a NULL operand, so that an empty subquery makes the comparison not true. */
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

/** Rewrites `(select x from t where …) = y` as a join, if the subquery never returns more than one row: it is true if a row of `t` has `x = y`. */
export function liftScalars(atom: Expr, context: AtomContext): readonly Part[] | undefined {
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
    checkOpenable(query, context.catalog)
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
