import { type Queryable, sql } from '@holdfast/postgres'
import { USED_REFRESH_TOKEN_DAYS } from '../limits.ts'
import { createRefreshToken } from '../tokens/refresh-token.ts'
import { addressOf, userAgentOf } from './create-session.ts'
import type { RequestOrigin } from './session-row.ts'

export interface RefreshTokenRow {
  readonly id: string
  readonly token: string
  readonly user_id: string
  readonly session_id: string | null
  readonly revoked: boolean
  readonly parent: string | null
  /** When it was used, for a used one. */
  readonly updated_at: Date
}

export async function findRefreshToken(db: Queryable, token: string): Promise<RefreshTokenRow | undefined> {
  const [row] = await db.query<RefreshTokenRow>(sql`
    select id, token, user_id, session_id, coalesce(revoked, false) as revoked, parent, updated_at
      from auth.refresh_tokens
     where token = ${token}
  `)
  return row
}

/** The one token of a session that was not used yet; `undefined` when the family was revoked. */
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
 * Uses up a token and gives the session its next one. The caller holds the session's lock.
 *
 * @param input.now - ISO 8601
 * @returns the new token
 */
export async function rotateRefreshToken(
  db: Queryable,
  input: {
    readonly used: RefreshTokenRow
    readonly sessionId: string
    readonly origin: RequestOrigin
    readonly now: string
  },
): Promise<string> {
  const { used, sessionId, origin, now } = input
  const token = createRefreshToken()
  await db.execute(sql`
    with used as (
      update auth.refresh_tokens set revoked = true, updated_at = ${now} where id = ${used.id}
    ),
    forgotten as (
      delete from auth.refresh_tokens
       where session_id = ${sessionId}
         and revoked
         and id <> ${used.id}
         and updated_at < ${now}::timestamptz - make_interval(days => ${USED_REFRESH_TOKEN_DAYS})
    ),
    session as (
      update auth.sessions
         set refreshed_at = ${now}::timestamptz at time zone 'utc', updated_at = ${now}::timestamptz,
             user_agent = coalesce(${userAgentOf(origin)}::text, user_agent), ip = coalesce(${addressOf(origin)}::inet, ip)
       where id = ${sessionId}
    )
    insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
    values (
      '00000000-0000-0000-0000-000000000000', ${token}, ${used.user_id}, false, ${now}, ${now}, ${used.token}, ${sessionId}
    )
  `)
  return token
}

/** Ends a session's ability to refresh, after one of its tokens turned up in two hands. */
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
