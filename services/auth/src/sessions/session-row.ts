import type { HoldfastError } from '@holdfast/foundation'
import { type Queryable, type SqlFragment, sql } from '@holdfast/postgres'
import { refreshSessionExpired } from '../errors.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import type { AuthenticationMethod } from '../tokens/claims.ts'

export type AssuranceLevel = 'aal1' | 'aal2' | 'aal3'

export interface SessionRow {
  readonly id: string
  readonly user_id: string
  readonly aal: AssuranceLevel | null
  readonly factor_id: string | null
  readonly not_after: Date | null
  readonly created_at: Date
  readonly refreshed_at: Date | null
  /** The app the session was granted to, if this server signed the user in to another app. */
  readonly oauth_client_id: string | null
  readonly scopes: string | null
  readonly user_agent: string | null
  /** `support` for sessions of support links. */
  readonly tag: string | null
  readonly ip: string | null
  /** For sessions from a newer GoTrue: signing key of their refresh tokens, and the newest token's number. */
  readonly refresh_token_hmac_key: string | null
  readonly refresh_token_counter: string | null
}

/** Client of a request. */
export interface RequestOrigin {
  /** Empty when unknown. */
  readonly address: string
  readonly userAgent: string | undefined
}

/** Columns of {@link SessionRow} from the table or alias `sessions`. `refreshed_at` has no time zone in GoTrue's schema and means UTC. */
export const SESSION_COLUMNS: SqlFragment = sql`
  sessions.id, sessions.user_id, sessions.aal, sessions.factor_id, sessions.not_after,
  coalesce(sessions.created_at, 'epoch') as created_at, sessions.refreshed_at at time zone 'utc' as refreshed_at,
  sessions.oauth_client_id, sessions.scopes, sessions.user_agent, sessions.tag, host(sessions.ip) as ip, sessions.refresh_token_hmac_key,
  sessions.refresh_token_counter::text as refresh_token_counter
`

function selectSessions(rest: SqlFragment): SqlFragment {
  return sql`select ${SESSION_COLUMNS} from auth.sessions ${rest}`
}

export async function findSession(db: Queryable, sessionId: string): Promise<SessionRow | undefined> {
  const [session] = await db.query<SessionRow>(selectSessions(sql`where id = ${sessionId}`))
  return session
}

/** Finds a session and locks it against refreshes and sign-outs until the end of the transaction. */
export async function lockSession(db: Queryable, sessionId: string): Promise<SessionRow | undefined> {
  const [session] = await db.query<SessionRow>(selectSessions(sql`where id = ${sessionId} for update`))
  return session
}

/** Lists a user's sessions, most recently used first. */
export function findSessionsOfUser(db: Queryable, userId: string): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    selectSessions(
      sql`where user_id = ${userId} order by coalesce(refreshed_at at time zone 'utc', created_at) desc nulls last, id`,
    ),
  )
}

/** Returns how the user authenticated, newest first. */
export async function readSessionMethods(db: Queryable, sessionId: string): Promise<AuthenticationMethod[]> {
  return (await readMethodsOfSessions(db, [sessionId])).get(sessionId) ?? []
}

/** Like {@link readSessionMethods} for many sessions. Sessions without methods are omitted. */
export async function readMethodsOfSessions(
  db: Queryable,
  sessionIds: readonly string[],
): Promise<Map<string, AuthenticationMethod[]>> {
  const rows = await db.query<{ session_id: string; authentication_method: string; updated_at: Date }>(sql`
    select session_id, authentication_method, updated_at
      from auth.mfa_amr_claims
     where session_id = any(${sessionIds}::uuid[])
     order by updated_at desc, authentication_method
  `)
  const methods = new Map<string, AuthenticationMethod[]>()
  for (const row of rows) {
    const method = { method: row.authentication_method, timestamp: Math.floor(row.updated_at.getTime() / 1000) }
    methods.set(row.session_id, [...(methods.get(row.session_id) ?? []), method])
  }
  return methods
}

type SessionLimits = Pick<AuthOptions, 'sessionsTimebox' | 'sessionsInactivityTimeout'>

/**
 * Returns why a session can no longer be refreshed; `undefined` if it can.
 *
 * @see Supabase documentation, "User sessions", "Limiting session lifetime and number of allowed sessions per user"
 */
export function judgeSession(session: SessionRow, limits: SessionLimits, nowMs: number): HoldfastError | undefined {
  const { sessionsTimebox, sessionsInactivityTimeout } = limits
  if (session.not_after !== null && session.not_after.getTime() <= nowMs) return refreshSessionExpired()
  if (sessionsTimebox > 0 && session.created_at.getTime() + sessionsTimebox * 1000 < nowMs) {
    return refreshSessionExpired()
  }
  if (sessionsInactivityTimeout > 0 && lastUsedMs(session) + sessionsInactivityTimeout * 1000 < nowMs) {
    return refreshSessionExpired('Inactivity')
  }
  return undefined
}

/** Returns when a session was last refreshed, or else started, in ms since the epoch. */
export function lastUsedMs(session: SessionRow): number {
  return (session.refreshed_at ?? session.created_at).getTime()
}

/** Sessions to end: all of the user's, this one, or all others. */
export type SignOutScope = 'global' | 'local' | 'others'

/**
 * Ends sessions and deletes their refresh tokens. Their access tokens are refused wherever the session is checked.
 *
 * @param input.sessionId - `undefined` (a token not issued by this server) makes every scope mean all
 * @returns the number of ended sessions
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
