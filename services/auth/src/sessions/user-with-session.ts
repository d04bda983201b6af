import { type Queryable, sql } from '@holdfast/postgres'
import { SESSION_COLUMNS, type SessionRow } from './session-row.ts'
import type { AuthenticationMethod } from '../tokens/claims.ts'
import { selectUsers, type UserRow } from '../users/user-row.ts'

// Each statement is a round trip to Postgres, and most requests have a session, so related rows are read in one statement.

/** A session as JSON. */
type SessionJson = Omit<SessionRow, 'not_after' | 'created_at' | 'refreshed_at'> & {
  readonly not_after: string | null
  readonly created_at: string
  readonly refreshed_at: string | null
}

/** Finds a user, and the session with that id whichever user it belongs to. */
export async function findUserWithSession(
  db: Queryable,
  userId: string,
  sessionId: string,
): Promise<{ readonly user: UserRow; readonly session: SessionRow | undefined } | undefined> {
  const [row] = await db.query<UserRow & { readonly found_session: SessionJson | null }>(
    selectUsers(
      sql`users.id = ${userId}`,
      sql`, (select to_jsonb(found) from (select ${SESSION_COLUMNS} from auth.sessions where sessions.id = ${sessionId}) as found)
            as found_session`,
    ),
  )
  if (!row) return undefined
  const { found_session: session, ...user } = row
  return { user, session: session === null ? undefined : fromJson(session) }
}

/** Finds a user, and how they authenticated in a session, newest first. */
export async function findUserWithMethods(
  db: Queryable,
  userId: string,
  sessionId: string,
): Promise<{ readonly user: UserRow; readonly methods: readonly AuthenticationMethod[] } | undefined> {
  const [row] = await db.query<UserRow & { readonly found_methods: readonly AuthenticationMethod[] }>(
    selectUsers(
      sql`users.id = ${userId}`,
      sql`, coalesce(
              (select jsonb_agg(
                        jsonb_build_object(
                          'method', method.authentication_method,
                          'timestamp', floor(extract(epoch from method.updated_at))::bigint
                        ) order by method.updated_at desc, method.authentication_method)
                 from auth.mfa_amr_claims as method where method.session_id = ${sessionId}),
              '[]'
            ) as found_methods`,
    ),
  )
  if (!row) return undefined
  const { found_methods: methods, ...user } = row
  return { user, methods }
}

function fromJson(session: SessionJson): SessionRow {
  return {
    ...session,
    not_after: toDate(session.not_after),
    created_at: new Date(session.created_at),
    refreshed_at: toDate(session.refreshed_at),
  }
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
