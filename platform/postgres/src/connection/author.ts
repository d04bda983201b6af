import type { Session } from './run-as.ts'

/**
 * Prefix of the WAL message that identifies the author of a transaction, written before anything else. Only a transaction's first message counts, because SQL
 * may also write messages.
 */
export const AUTHOR_PREFIX = 'holdfast:author'

/** Returns the author of changes: the user, or the role of anonymous requests. `null`: the project itself, by its service key. */
export function authorOf({ role, claims }: Pick<Session, 'role' | 'claims'>): string | null {
  if (role === 'service_role') return null
  const { sub } = claims
  // Postgres texts cannot contain NUL.
  return typeof sub === 'string' && sub !== '' ? sub.replaceAll('\0', '') : `role ${role}`
}
