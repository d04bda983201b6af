import { sql } from '@holdfast/postgres'
import type { AuthContext } from '../context.ts'
import { findUserById } from '../users/user-row.ts'
import type { TokenClaims } from './claims.ts'
import { issueAccessToken } from './issue-tokens.ts'

/** Nothing that is signed here leaves the server. */
const LIFETIME_SECONDS = 60

/**
 * The claims that a token of a session would have now, after the hook: for what the server does on behalf of a person who is not there.
 *
 * @returns `undefined` when the person has no such session; whether it still lives is not looked at
 * @throws {HoldfastError} what the `custom_access_token` hook refuses with
 */
export async function claimsOfSession(
  context: AuthContext,
  userId: string,
  sessionId: string,
): Promise<TokenClaims | undefined> {
  const [session] = await context.pool.query<{ aal: string | null; client: string | null }>(sql`
    select s.aal::text, s.oauth_client_id::text as client from auth.sessions s where s.id = ${sessionId} and s.user_id = ${userId}`)
  const user = session && (await findUserById(context.pool, userId))
  if (!user || user.deleted_at !== null) return undefined
  const { accessToken } = await context.pool.transaction((tx) =>
    issueAccessToken(context, tx, {
      user,
      sessionId,
      aal: session.aal ?? 'aal1',
      amr: [],
      method: 'token_refresh',
      oauthClientId: session.client,
      lifetimeS: LIFETIME_SECONDS,
    }),
  )
  return JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as TokenClaims
}
