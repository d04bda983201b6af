import type { Session } from './run-as.ts'

/**
 * Prefix of the message that a transaction on behalf of a person writes into the write-ahead log before anything else, with who that is. Only the first message
 * of a transaction counts, as SQL may write messages too.
 */
export const AUTHOR_PREFIX = 'holdfast:author'

/** Whom changes are attributed to: the user, or the role of those who have not signed in. `null`: the project itself, by its service key. */
export function authorOf({ role, claims }: Pick<Session, 'role' | 'claims'>): string | null {
  if (role === 'service_role') return null
  const { sub } = claims
  // A text of Postgres has no NUL.
  return typeof sub === 'string' && sub !== '' ? sub.replaceAll('\0', '') : `role ${role}`
}
