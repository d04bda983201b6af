import { type Queryable, sql } from '@holdfast/postgres'
import { refreshTokenFromElsewhere } from '../errors.ts'
import { findRefreshToken } from './refresh-tokens.ts'
import { findSession } from './session-row.ts'
import { isSignedBy, parseSignedRefreshToken, type SignedRefreshToken } from './signed-refresh-token.ts'

/** A refresh token that somebody brings, whichever kind it is. */
export interface PresentedToken {
  readonly text: string
  readonly sessionId: string
  /** Its row in `auth.refresh_tokens`; a signed token has none. */
  readonly rowId: string | undefined
  /** When it was used before, in milliseconds since the epoch. */
  readonly usedAtMs: number | undefined
}

/** @throws {HoldfastError} `validation_failed` for a signed token that is ahead of its session */
export async function findPresentedToken(db: Queryable, text: string): Promise<PresentedToken | undefined> {
  const row = await findRefreshToken(db, text)
  if (row) {
    if (row.session_id === null) return undefined
    const usedAtMs = row.revoked ? row.updated_at.getTime() : undefined
    return { text, sessionId: row.session_id, rowId: row.id, usedAtMs }
  }
  const signed = parseSignedRefreshToken(text)
  return signed === undefined ? undefined : findSignedToken(db, text, signed)
}

/**
 * A token that GoTrue signed before its database came here. Its successors are our own kind: the first one has it as its parent, and from then
 * on it counts as used.
 */
async function findSignedToken(
  db: Queryable,
  text: string,
  signed: SignedRefreshToken,
): Promise<PresentedToken | undefined> {
  const session = await findSession(db, signed.sessionId)
  if (!session?.refresh_token_hmac_key || session.refresh_token_counter === null) return undefined
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
