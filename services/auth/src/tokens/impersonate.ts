import { randomUUID } from 'node:crypto'
import type { Logger } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import { isUuid } from '../store.ts'
import { findUserById, type UserRow, findUserByAnyEmail } from '../users/user-row.ts'
import type { AccessToken, AccessTokens } from './access-tokens.ts'
import type { TokenClaims } from './claims.ts'

interface Needs {
  readonly pool: Pool
  readonly accessTokens: AccessTokens
}

/** A user whom an operator may briefly act as. */
export interface Impersonated {
  readonly userId: string
  readonly role: string
  /** The token's claims, as policies read them. */
  readonly claims: TokenClaims
  readonly token: string
  /** Seconds since the epoch. */
  readonly expiresAtS: number
}

interface SessionOfToken {
  readonly id: string
  readonly aal: string | null
  readonly client: string | null
}

/** Lifetime in seconds of a token of which only the claims are used. It never leaves the server. */
const CLAIMS_LIFETIME_S = 60

/**
 * Issues a short-lived access token with the claims that the user's own token would have now, after the hook. It uses the user's newest
 * session, so that policies on sessions and assurance levels decide the same. Without a session it names a nonexistent one.
 *
 * @param who - id or address
 * @returns `undefined` without such an account
 */
export async function impersonate(
  needs: Needs & { readonly logger: Logger },
  who: string,
  lifetimeS: number,
): Promise<Impersonated | undefined> {
  const issued = await issueForNewestSession(needs, who, lifetimeS)
  if (!issued) return undefined
  const { userId, access, claims } = issued
  needs.logger.log('info', 'an operator looks at what a person has', { user: userId })
  return { userId, role: claims.role ?? 'anon', claims, token: access.accessToken, expiresAtS: access.expiresAtS }
}

/** Returns the claims of {@link impersonate}, for work the server does on a user's behalf. @param userId - of an account */
export async function claimsOfUser(needs: Needs, userId: string): Promise<TokenClaims | undefined> {
  return (await issueForNewestSession(needs, userId, CLAIMS_LIFETIME_S))?.claims
}

/** Issues a token of {@link impersonate}, for work the server does on a user's behalf. @param userId - of an account */
export async function tokenOfUser(needs: Needs, userId: string, lifetimeS: number): Promise<string | undefined> {
  return (await issueForNewestSession(needs, userId, lifetimeS))?.access.accessToken
}

/**
 * Returns the claims that a session's token would have now, after the hook, for work the server does on behalf of an offline user.
 *
 * @returns `undefined` if the user has no such session; does not check whether the session is still valid
 * @throws {HoldfastError} the refusal of the `custom_access_token` hook
 */
export async function claimsOfSession(
  needs: Needs,
  userId: string,
  sessionId: string,
): Promise<TokenClaims | undefined> {
  const { pool } = needs
  const [session] = await pool.query<SessionOfToken>(sql`
    select id, aal::text, oauth_client_id::text as client from auth.sessions where id = ${sessionId} and user_id = ${userId}
  `)
  const user = session && (await findUserById(pool, userId))
  if (!user || user.deleted_at !== null) return undefined
  return (await issue(needs, { user, session, lifetimeS: CLAIMS_LIFETIME_S })).claims
}

async function issueForNewestSession(needs: Needs, who: string, lifetimeS: number) {
  const { pool } = needs
  const name = who.toLowerCase()
  const user = isUuid(name) ? await findUserById(pool, name) : await findUserByAnyEmail(pool, name)
  if (!user) return undefined
  const [session] = await pool.query<SessionOfToken>(sql`
    select id, aal::text, null as client from auth.sessions where user_id = ${user.id} order by created_at desc limit 1
  `)
  return { userId: user.id, ...(await issue(needs, { user, session, lifetimeS, isInspection: true })) }
}

async function issue(
  { pool, accessTokens }: Needs,
  input: {
    readonly user: UserRow
    readonly session: SessionOfToken | undefined
    readonly lifetimeS: number
    readonly isInspection?: boolean
  },
): Promise<{ readonly access: AccessToken; readonly claims: TokenClaims }> {
  const { session, ...issued } = input
  const access = await pool.transaction((tx) =>
    accessTokens.issue(tx, {
      ...issued,
      sessionId: session?.id ?? randomUUID(),
      aal: session?.aal ?? 'aal1',
      amr: [],
      method: 'token_refresh',
      oauthClientId: session?.client,
    }),
  )
  const payload = Buffer.from(access.accessToken.split('.')[1] ?? '', 'base64url').toString()
  return { access, claims: JSON.parse(payload) as TokenClaims }
}
