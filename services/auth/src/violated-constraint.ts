import { SQLSTATE, sqlstateOf } from '@holdfast/postgres'

/** The name of the unique constraint or index that a statement ran into, or `undefined` for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  if (sqlstateOf(error) !== SQLSTATE.uniqueViolation) return undefined
  const { constraint } = error as { readonly constraint?: unknown }
  return typeof constraint === 'string' ? constraint : undefined
}
