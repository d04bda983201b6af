import { type Queryable, sql } from '@holdfast/postgres'
import { refreshTokenFromElsewhere } from '../errors.ts'
import { findRefreshToken, type PresentedToken } from './refresh-tokens.ts'
import { findSession, lockSession, SESSION_COLUMNS, type SessionRow } from './session-row.ts'
import { isSignedBy, parseSignedRefreshToken, type SignedRefreshToken } from './signed-refresh-token.ts'

/** @throws {HoldfastError} `validation_failed` for a signed token that is ahead of its session */
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

/** A token and its session, both as they are once no other request holds the session. */
export interface LockedToken {
  readonly token: PresentedToken
  readonly session: SessionRow
}

/**
 * Finds a token and keeps others from refreshing or ending its session until the transaction ends.
 *
 * The lock may have to be waited for, and whoever held it may have used the token. Postgres reads rows again that it waited for, but only rows
 * that it locks: that is why the token is locked as well, after the session, as everybody does.
 *
 * @throws {HoldfastError} `validation_failed` for a signed token that is ahead of its session
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
 * A token that GoTrue signed before its database came here. Its successors are our own kind: the first one has it as its parent, and from then
 * on it counts as used.
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
  // One behind: GoTrue's last answer did not reach the client, which GoTrue lets pass as well.
  return { ...presented, usedAtMs: behind <= 1n ? undefined : 0 }
}
