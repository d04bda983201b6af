import type { Operator } from '@holdfast/protocol'
import { notSignedIn } from '../errors.ts'
import type { SessionState } from './sessions.ts'

/** Returns the session and operator of a call to a route that is not open. */
export function requireOperator(session: SessionState): { readonly id: string; readonly operator: Operator } {
  if (session.state === 'none') throw notSignedIn()
  return session
}
