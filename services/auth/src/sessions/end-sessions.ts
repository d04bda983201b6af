import { type Queryable, sql } from '@holdfast/postgres'

/** Which sessions of a user end: all, this one, or all but this one. */
export type SignOutScope = 'global' | 'local' | 'others'

/**
 * Ends sessions; their refresh tokens go with them, and their access tokens are refused wherever the session is looked up.
 *
 * @param input.sessionId - without one (a token that was not issued by us) every scope means all
 * @returns how many ended
 */
export async function endSessions(
  db: Queryable,
  input: { readonly userId: string; readonly sessionId: string | undefined; readonly scope: SignOutScope },
): Promise<number> {
  const { userId, sessionId, scope } = input
  const which =
    sessionId === undefined || scope === 'global'
      ? sql`true`
      : scope === 'local'
        ? sql`id = ${sessionId}`
        : sql`id <> ${sessionId}`
  return db.execute(sql`delete from auth.sessions where user_id = ${userId} and ${which}`)
}
