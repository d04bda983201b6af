/** A call of `auth`'s functions, with the subquery around it if it has one. */
const CALLS = /(\bselect\s+\(*)?\bauth\.(uid|jwt|role|email)\(\)/gi

/**
 * Puts calls of `auth.uid()` and its like in subqueries, which Postgres evaluates once per statement instead of once per row.
 *
 * @param expression - of a policy, as Postgres prints it with an empty search path
 * @returns `undefined` if there is nothing to change
 */
export function wrapAuthCalls(expression: string | null): string | undefined {
  if (expression === null) return undefined
  const wrapped = expression.replaceAll(CALLS, (call: string, select: string | undefined, name: string) =>
    select === undefined ? `(select auth.${name}())` : call,
  )
  return wrapped === expression ? undefined : wrapped
}
