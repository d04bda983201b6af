import { type Queryable, sql } from '@holdfast/postgres'
import type { AuthenticationMethod } from '../tokens/claims.ts'

type AssuranceLevel = 'aal1' | 'aal2' | 'aal3'

export interface SessionRow {
  readonly id: string
  readonly user_id: string
  readonly aal: AssuranceLevel | null
  readonly not_after: Date | null
}

/** Where a session is used from. */
export interface RequestOrigin {
  /** Empty when unknown. */
  readonly address: string
  readonly userAgent: string | undefined
}

export async function findSession(db: Queryable, sessionId: string): Promise<SessionRow | undefined> {
  const [session] = await db.query<SessionRow>(sql`
    select id, user_id, aal, not_after from auth.sessions where id = ${sessionId}
  `)
  return session
}

/** The same, keeping others from refreshing or ending the session until the transaction ends. */
export async function lockSession(db: Queryable, sessionId: string): Promise<SessionRow | undefined> {
  const [session] = await db.query<SessionRow>(sql`
    select id, user_id, aal, not_after from auth.sessions where id = ${sessionId} for update
  `)
  return session
}

/** How the person proved who they are, the newest first. */
export async function readSessionMethods(db: Queryable, sessionId: string): Promise<AuthenticationMethod[]> {
  const rows = await db.query<{ authentication_method: string; updated_at: Date }>(sql`
    select authentication_method, updated_at
      from auth.mfa_amr_claims
     where session_id = ${sessionId}
     order by updated_at desc, authentication_method
  `)
  return rows.map((row) => ({
    method: row.authentication_method,
    timestamp: Math.floor(row.updated_at.getTime() / 1000),
  }))
}
