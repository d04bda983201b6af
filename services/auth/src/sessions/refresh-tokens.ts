import { type Queryable, sql } from '@holdfast/postgres'
import { USED_REFRESH_TOKEN_DAYS } from '../limits.ts'
import { addressOf, userAgentOf, createRefreshToken } from './create-session.ts'
import type { RequestOrigin, SessionRow } from './session-row.ts'

export interface RefreshTokenRow {
  readonly id: string
  readonly token: string
  readonly user_id: string
  readonly session_id: string | null
  readonly revoked: boolean
  readonly parent: string | null
  /** Time of use, for a used token. */
  readonly updated_at: Date
}

/** A presented refresh token of either kind. */
export interface PresentedToken {
  readonly text: string
  readonly sessionId: string
  /** Id of its row in `auth.refresh_tokens`; a signed token has none. */
  readonly rowId: string | undefined
  /** When it was first used, in ms since the epoch. */
  readonly usedAtMs: number | undefined
}

export async function findRefreshToken(db: Queryable, token: string): Promise<RefreshTokenRow | undefined> {
  const [row] = await db.query<RefreshTokenRow>(sql`
    select id, token, user_id, session_id, coalesce(revoked, false) as revoked, parent, updated_at
      from auth.refresh_tokens
     where token = ${token}
  `)
  return row
}

/** Returns the unused token of a session; `undefined` if the family was revoked. */
export async function findActiveRefreshToken(db: Queryable, sessionId: string): Promise<RefreshTokenRow | undefined> {
  const [row] = await db.query<RefreshTokenRow>(sql`
    select id, token, user_id, session_id, false as revoked, parent, updated_at
      from auth.refresh_tokens
     where session_id = ${sessionId} and revoked is not true
     order by id desc
     limit 1
  `)
  return row
}

/**
 * Consumes a token and issues the session's next one. The caller holds the session's lock.
 *
 * @param input.keep - keeps the token in use and issues none
 * @param input.now - ISO 8601
 * @returns the token to use from now on
 */
export async function rotateRefreshToken(
  db: Queryable,
  input: {
    readonly used: PresentedToken
    readonly session: SessionRow
    readonly origin: RequestOrigin
    readonly now: string
    readonly keep: boolean
  },
): Promise<string> {
  const { used, session, origin, now } = input
  const touched = sql`
    update auth.sessions
       set refreshed_at = ${now}::timestamptz at time zone 'utc', updated_at = ${now}::timestamptz,
           user_agent = coalesce(${userAgentOf(origin)}::text, user_agent), ip = coalesce(${addressOf(origin)}::inet, ip)
     where id = ${session.id}
  `
  if (input.keep) {
    await db.execute(touched)
    return used.text
  }
  const token = createRefreshToken()
  await db.execute(sql`
    with used as (
      update auth.refresh_tokens set revoked = true, updated_at = ${now} where id = ${used.rowId ?? null}::bigint
    ),
    forgotten as (
      delete from auth.refresh_tokens
       where session_id = ${session.id}
         and revoked
         and id is distinct from ${used.rowId ?? null}::bigint
         and updated_at < ${now}::timestamptz - make_interval(days => ${USED_REFRESH_TOKEN_DAYS})
    ),
    session as (${touched})
    insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
    values (
      '00000000-0000-0000-0000-000000000000', ${token}, ${session.user_id}, false, ${now}, ${now}, ${used.text}, ${session.id}
    )
  `)
  return token
}

/** Revokes all refresh tokens of a session after one of them was reused. */
export async function revokeRefreshTokenFamily(
  db: Queryable,
  input: { sessionId: string; now: string },
): Promise<void> {
  await db.execute(sql`
    update auth.refresh_tokens
       set revoked = true, updated_at = ${input.now}
     where session_id = ${input.sessionId} and revoked is not true
  `)
}
