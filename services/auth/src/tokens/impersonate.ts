import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import type { AuthContext } from '../context.ts'
import { findUserByAnyEmail } from '../users/find-by-any-email.ts'
import { findUserById } from '../users/user-row.ts'
import type { TokenClaims } from './claims.ts'
import { issueAccessToken } from './issue-tokens.ts'

/** A person as an operator may act as them for a moment. */
export interface Impersonated {
  readonly userId: string
  readonly role: string
  /** Of the token, as policies read them. */
  readonly claims: TokenClaims
  readonly token: string
  /** Seconds since the epoch. */
  readonly expiresAtS: number
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * A short-lived access token with the claims that the person's own would have now, after the hook. It belongs to their newest session, so that policies
 * which look at sessions and at how strong the sign-in was decide the same; without a session it names one that does not exist.
 *
 * @param who - id or address
 * @returns `undefined` when there is no such account
 */
export async function impersonate(
  context: AuthContext,
  who: string,
  lifetimeS: number,
): Promise<Impersonated | undefined> {
  const issued = await issueAs(context, who, lifetimeS)
  if (issued) context.logger.log('info', 'an operator looks at what a person has', { user: issued.userId })
  return issued
}

/** The claims of {@link impersonate} for what the server does for a person by itself. @param userId - of an account */
export async function claimsOfPerson(context: AuthContext, userId: string): Promise<TokenClaims | undefined> {
  return (await issueAs(context, userId, PERSON_SECONDS))?.claims
}

/** Seconds for which claims hold that are used at once. */
const PERSON_SECONDS = 60

async function issueAs(context: AuthContext, who: string, lifetimeS: number): Promise<Impersonated | undefined> {
  const { pool } = context
  const user = UUID.test(who)
    ? await findUserById(pool, who.toLowerCase())
    : await findUserByAnyEmail(pool, who.toLowerCase())
  if (!user) return undefined
  const [session] = await pool.query<{ id: string; aal: string | null }>(sql`
    select id, aal::text from auth.sessions where user_id = ${user.id} order by created_at desc limit 1
  `)
  const issued = await pool.transaction((tx) =>
    issueAccessToken(context, tx, {
      user,
      sessionId: session?.id ?? randomUUID(),
      aal: session?.aal ?? 'aal1',
      amr: [],
      method: 'token_refresh',
      lifetimeS,
      isInspection: true,
    }),
  )
  const claims = JSON.parse(Buffer.from(issued.accessToken.split('.')[1] ?? '', 'base64url').toString()) as TokenClaims
  return {
    userId: user.id,
    role: claims.role ?? 'anon',
    claims,
    token: issued.accessToken,
    expiresAtS: issued.expiresAtS,
  }
}
