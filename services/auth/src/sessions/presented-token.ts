import { type Queryable, sql } from '@holdfast/postgres'
import { refreshTokenFromElsewhere } from '../errors.ts'
import { findRefreshToken, type PresentedToken } from './refresh-tokens.ts'
import { findSession, lockSession, SESSION_COLUMNS, type SessionRow } from './session-row.ts'
import { isSignedBy, parseSignedRefreshToken, type SignedRefreshToken } from './signed-refresh-token.ts'

/** @throws {HoldfastError} `validation_failed` for a signed token with a counter ahead of its session's */
export async function findPresentedToken(db: Queryable, text: string): Promise<PresentedToken | undefined> {
  const row = await findRefreshToken(db, text)
  if (row) {
    if (row.session_id === null) return undefined
    const usedAtMs = row.revoked ? row.updated_at.getTime() : undefined
    return { text, sessionId: row.session_id, rowId: row.id, usedAtMs }
  }
  const signed = parseSignedRefreshToken(text)
  const session = signed && (await findSession(db, signed.sessionId))
  return session && judgeSignedToken(db, text, signed, session)
}

/** A token and its session, as read under the session's lock. */
export interface LockedToken {
  readonly token: PresentedToken
  readonly session: SessionRow
}

/**
 * Finds a token and locks its session against refreshes and sign-outs until the end of the transaction.
 *
 * The previous holder of the lock may have used the token. Postgres re-reads only rows that it locks, so the token is locked too, after the
 * session, as everywhere.
 *
 * @throws {HoldfastError} `validation_failed` for a signed token with a counter ahead of its session's
 */
export async function lockPresentedToken(db: Queryable, text: string): Promise<LockedToken | undefined> {
  const [row] = await db.query<LockedRow>(sql`
    select ${SESSION_COLUMNS}, token.id as token_id, case when token.revoked then token.updated_at end as token_used_at
      from auth.refresh_tokens as token
      join auth.sessions on sessions.id = token.session_id
     where token.token = ${text}
       for update of sessions, token
  `)
  if (row) {
    const { token_id: rowId, token_used_at: usedAt, ...session } = row
    return { session, token: { text, sessionId: session.id, rowId, usedAtMs: usedAt?.getTime() } }
  }
  const signed = parseSignedRefreshToken(text)
  const session = signed && (await lockSession(db, signed.sessionId))
  const token = session && (await judgeSignedToken(db, text, signed, session))
  return token && { token, session }
}

type LockedRow = SessionRow & { readonly token_id: string; readonly token_used_at: Date | null }

/**
 * Checks a token that GoTrue signed before its database was moved here. Its successors are tokens of our kind. The first one has it as its
 * parent, and from then on it counts as used.
 */
async function judgeSignedToken(
  db: Queryable,
  text: string,
  signed: SignedRefreshToken,
  session: SessionRow,
): Promise<PresentedToken | undefined> {
  if (!session.refresh_token_hmac_key || session.refresh_token_counter === null) return undefined
  if (!isSignedBy(signed, session.refresh_token_hmac_key)) return undefined
  const behind = BigInt(session.refresh_token_counter) - signed.counter
  if (behind < 0n) throw refreshTokenFromElsewhere()
  const [successor] = await db.query<{ created_at: Date }>(sql`
    select created_at from auth.refresh_tokens where session_id = ${session.id} order by id limit 1
  `)
  const presented = { text, sessionId: session.id, rowId: undefined }
  if (successor) return { ...presented, usedAtMs: successor.created_at.getTime() }
  // One behind: the client did not receive GoTrue's last response. GoTrue accepts this too.
  return { ...presented, usedAtMs: behind <= 1n ? undefined : 0 }
}
