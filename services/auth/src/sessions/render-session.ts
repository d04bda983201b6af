import type { Queryable } from '@holdfast/postgres'
import type { WeakPasswordError } from '../errors.ts'
import type { AccessToken } from '../tokens/access-tokens.ts'
import type { AuthenticationMethod } from '../tokens/claims.ts'
import { renderUser } from '../users/render-user.ts'
import type { UserRow } from '../users/user-row.ts'
import { type SessionRow, readMethodsOfSessions } from './session-row.ts'

/** A signed-in user and the tokens for the client. */
export interface SignedIn {
  readonly user: UserRow
  readonly access: AccessToken
  readonly refreshToken: string
  /** Set if the password just used violates the current rules. */
  readonly weakPassword?: WeakPasswordError | undefined
}

/** Renders auth-js's `Session`. */
export function renderSession(signedIn: SignedIn): Record<string, unknown> {
  const { access, weakPassword } = signedIn
  return {
    access_token: access.accessToken,
    token_type: 'bearer',
    expires_in: access.expiresInS,
    expires_at: access.expiresAtS,
    refresh_token: signedIn.refreshToken,
    user: renderUser(signedIn.user),
    ...(weakPassword ? { weak_password: { message: weakPassword.message, reasons: weakPassword.reasons } } : {}),
  }
}

/** Renders a session for a URL fragment, where auth-js reads it. */
export function renderSessionFragment({ access, refreshToken }: SignedIn): Record<string, string> {
  return {
    access_token: access.accessToken,
    expires_at: String(access.expiresAtS),
    expires_in: String(access.expiresInS),
    refresh_token: refreshToken,
    sb: '',
    token_type: 'bearer',
  }
}

/** Renders sessions for their own user. @param currentId - the requesting session */
export async function renderOwnSessions(
  db: Queryable,
  sessions: readonly SessionRow[],
  currentId?: string,
): Promise<Record<string, unknown>[]> {
  const ids = sessions.map(({ id }) => id)
  const methods = await readMethodsOfSessions(db, ids)
  return sessions.map((session) => renderOwnSession(session, methods.get(session.id) ?? [], session.id === currentId))
}

/** Renders a session's client, times and authentication methods. */
function renderOwnSession(
  session: SessionRow,
  amr: readonly AuthenticationMethod[],
  isCurrent: boolean,
): Record<string, unknown> {
  return {
    id: session.id,
    created_at: session.created_at.toISOString(),
    refreshed_at: session.refreshed_at?.toISOString() ?? null,
    not_after: session.not_after?.toISOString() ?? null,
    user_agent: session.user_agent,
    tag: session.tag,
    ip: session.ip,
    aal: session.aal ?? 'aal1',
    amr,
    oauth_client_id: session.oauth_client_id,
    current: isCurrent,
  }
}
