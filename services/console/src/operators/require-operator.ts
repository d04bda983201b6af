import { includesRole, type Operator, type OperatorRole } from '@holdfast/protocol'
import { notSignedIn } from '../errors.ts'
import type { SessionState } from './sessions.ts'

/** Returns the session and operator of a call to a route that is not open. */
export function requireOperator(session: SessionState): { readonly id: string; readonly operator: Operator } {
  if (session.state === 'none') throw notSignedIn()
  return session
}

/** Returns whether the operator of a call has a role, or a higher one. */
export function hasRole(session: SessionState, role: OperatorRole): boolean {
  return includesRole(requireOperator(session).operator.role, role)
}
