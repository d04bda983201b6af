import type { ListedUser } from '@holdfast/protocol'
import { sql, SQLSTATE, sqlstateOf, type Pool } from '@holdfast/postgres'
import { invalidRequest } from '../errors.ts'

export interface UserFilter {
  /** Part of an address, phone number or name, or a whole id. */
  readonly search?: string | undefined
  readonly state?: 'banned' | 'unconfirmed' | 'anonymous' | undefined
  /** Position of the last user of the previous page: `createdAt id`. */
  readonly after?: string | undefined
  readonly limit: number
}

/**
 * Lists users, newest first. Pages by key, so that a page costs the same at any depth.
 *
 * @returns the users, and the position for the next page if there may be one
 * @throws {HoldfastError} `invalid_request` for a position that no page has
 */
export async function listUsers(
  pool: Pool,
  { search, state, after, limit }: UserFilter,
): Promise<{ readonly users: readonly ListedUser[]; readonly next?: string }> {
  const [afterTime, afterId] = after?.split(' ') ?? []
  const conditions = [
    sql`u.deleted_at is null`,
    ...(search
      ? [
          sql`(strpos(lower(u.email), lower(${search})) > 0 or strpos(u.phone, ${search}) > 0
               or strpos(lower(${FULL_NAME}), lower(${search})) > 0 or u.id::text = lower(${search}))`,
        ]
      : []),
    ...(state ? [STATES[state]] : []),
    ...(afterTime && afterId
      ? [sql`(coalesce(u.created_at, '-infinity'), u.id) < (${afterTime}::timestamptz, ${afterId}::uuid)`]
      : []),
  ]
  const query = sql`
    select u.id, u.email, nullif(u.phone, '') as phone, ${FULL_NAME} as name, u.created_at as "createdAt",
           u.last_sign_in_at as "lastSignInAt", u.confirmed_at is not null as "isConfirmed",
           coalesce(u.banned_until > now(), false) as "isBanned", coalesce(u.is_anonymous, false) as "isAnonymous",
           array(select i.provider from auth.identities i where i.user_id = u.id order by i.provider) as providers,
           (select count(*)::int from auth.sessions s where s.user_id = u.id
              and (s.not_after is null or s.not_after > now())) as sessions,
           to_char(coalesce(u.created_at, '-infinity') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.USZ') || ' ' || u.id as position
      from auth.users u
     where ${sql.join(conditions, ' and ')}
     order by coalesce(u.created_at, '-infinity') desc, u.id desc
     limit ${limit}`
  const rows = await pool.query<ListedUser & { position?: string }>(query).catch((error: unknown) => {
    const state = sqlstateOf(error)
    if (state === SQLSTATE.datetimeFieldOverflow || state === SQLSTATE.invalidDatetimeFormat)
      throw invalidRequest('"after" has an impossible date. Use the "next" of the page before.')
    throw error
  })
  const last = rows.length === limit ? rows.at(-1)?.position : undefined
  for (const row of rows) delete row.position
  return { users: rows, ...(last !== undefined && { next: last }) }
}

/** Postgres's estimate of the number of users; counting millions takes seconds. */
export async function estimateUsers(pool: Pool): Promise<number> {
  const [row] = await pool.query<{ estimate: number }>(
    sql`select greatest(reltuples, 0)::float8 as estimate from pg_class where oid = 'auth.users'::regclass`,
  )
  return row?.estimate ?? 0
}

const FULL_NAME = sql`coalesce(u.raw_user_meta_data ->> 'full_name', u.raw_user_meta_data ->> 'name')`

const STATES = {
  banned: sql`u.banned_until > now()`,
  unconfirmed: sql`u.confirmed_at is null and not coalesce(u.is_anonymous, false)`,
  anonymous: sql`coalesce(u.is_anonymous, false)`,
}
