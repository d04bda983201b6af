import { roleTooLow } from '../errors.ts'
import { hasRole } from '../operators/require-operator.ts'
import type { SessionState } from '../operators/sessions.ts'
import type { OpenSqlSession } from './sql.ts'

/** Requires the right to run SQL as the project. @throws {HoldfastError} `role_too_low` */
export async function requireProjectRole(openSession: OpenSqlSession, session: SessionState): Promise<void> {
  const { needs } = (await openSession({ kind: 'postgres' })) ?? {}
  if (needs && !hasRole(session, needs)) throw roleTooLow(needs)
}
