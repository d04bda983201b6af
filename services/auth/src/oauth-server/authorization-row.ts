import { type Queryable, sql, type SqlFragment } from '@holdfast/postgres'

/** An app's authorization request: waits for the user's decision, then for the app to exchange the code. */
export interface AuthorizationRow {
  readonly id: string
  /** Id used by the consent page. */
  readonly authorization_id: string
  readonly client_id: string
  /** The user who opened the page; `null` until then. */
  readonly user_id: string | null
  readonly redirect_uri: string
  readonly scope: string
  readonly state: string | null
  readonly resource: string | null
  readonly code_challenge: string | null
  readonly status: 'pending' | 'approved' | 'denied' | 'expired'
  readonly nonce: string | null
  readonly expires_at: Date
  readonly code_used_at: Date | null
  /** The session created with the code. */
  readonly session_id: string | null
}

function selectAuthorizations(condition: SqlFragment): SqlFragment {
  return sql`
    select id, authorization_id, client_id, user_id, redirect_uri, scope, state, resource, code_challenge, status, nonce,
           expires_at, code_used_at, session_id
      from auth.oauth_authorizations
     where ${condition}
       for update
  `
}

/** Finds an authorization and locks it until the end of the transaction. */
export async function lockAuthorization(db: Queryable, authorizationId: string): Promise<AuthorizationRow | undefined> {
  const [row] = await db.query<AuthorizationRow>(selectAuthorizations(sql`authorization_id = ${authorizationId}`))
  return row
}

/** Like {@link lockAuthorization}, by the hash of the code. */
export async function lockAuthorizationOfCode(db: Queryable, codeHash: string): Promise<AuthorizationRow | undefined> {
  const [row] = await db.query<AuthorizationRow>(
    selectAuthorizations(sql`authorization_code = ${codeHash} and status = 'approved'`),
  )
  return row
}
