import { randomUUID } from 'node:crypto'
import { type Queryable, sql, type Pool } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { validationFailed } from '../errors.ts'
import { isoNow, type Store, isUuid } from '../store.ts'
import type { UserRow } from '../users/user-row.ts'
import { describeClient, type OAuthClientRow, selectClients } from './client-row.ts'
import { grantNotFound } from './errors.ts'
import { parseScopes } from './scopes.ts'

/** Returns the scopes a user has granted an app; empty without consent or after revocation. */
export async function findConsentedScopes(db: Queryable, userId: string, clientId: string): Promise<string[]> {
  const [consent] = await db.query<{ scopes: string }>(sql`
    select scopes from auth.oauth_consents where user_id = ${userId} and client_id = ${clientId} and revoked_at is null
  `)
  return consent ? parseScopes(consent.scopes) : []
}

/**
 * Adds scopes to a user's consent for an app.
 *
 * @param input.now - ISO 8601
 */
export async function saveConsent(
  db: Queryable,
  input: {
    readonly userId: string
    readonly clientId: string
    readonly scopes: readonly string[]
    readonly now: string
  },
): Promise<void> {
  const { userId, clientId, now } = input
  const before = await findConsentedScopes(db, userId, clientId)
  const scopes = [...new Set([...before, ...input.scopes])].join(' ')
  await db.execute(sql`
    insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at)
    values (${randomUUID()}, ${userId}, ${clientId}, ${scopes}, ${now})
    on conflict (user_id, client_id) do update
       set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null
  `)
}

/** Lists the apps a user has authorized, newest first, as auth-js's type `OAuthGrant`. */
export async function listGrants(pool: Pool, userId: string): Promise<Record<string, unknown>[]> {
  const consents = await pool.query<{ client_id: string; scopes: string; granted_at: Date }>(sql`
    select client_id, scopes, granted_at
      from auth.oauth_consents
     where user_id = ${userId} and revoked_at is null
     order by granted_at desc, id
  `)
  const ids = consents.map((consent) => consent.client_id)
  const clients = await pool.query<OAuthClientRow>(selectClients(sql`id = any(${ids}::uuid[])`))
  const byId = new Map(clients.map((client) => [client.id, client]))
  return consents.flatMap((consent) => {
    const client = byId.get(consent.client_id)
    if (!client) return []
    return [
      {
        client: describeClient(client),
        scopes: parseScopes(consent.scopes),
        granted_at: consent.granted_at.toISOString(),
      },
    ]
  })
}

/**
 * Revokes a user's consent for an app. Ends the app's sessions and invalidates its unused codes.
 *
 * @throws {HoldfastError} `validation_failed`, `oauth_consent_not_found`
 */
export async function revokeGrant(
  { pool, clock }: Store,
  input: { readonly user: UserRow; readonly clientId: string; readonly address: string },
): Promise<void> {
  const { user, clientId, address } = input
  if (clientId === '') throw validationFailed('client_id query parameter is required')
  if (!isUuid(clientId)) throw validationFailed('invalid client_id format')
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    const revoked = await tx.execute(sql`
      update auth.oauth_consents
         set revoked_at = greatest(${now}::timestamptz, granted_at)
       where user_id = ${user.id} and client_id = ${clientId} and revoked_at is null
    `)
    if (revoked === 0) throw grantNotFound()
    await tx.execute(sql`
      delete from auth.oauth_authorizations where user_id = ${user.id} and client_id = ${clientId}
    `)
    await tx.execute(sql`delete from auth.sessions where user_id = ${user.id} and oauth_client_id = ${clientId}`)
    const traits = { oauth_client_id: clientId, action: 'revoke_oauth_grant' }
    await recordAudit(tx, { action: 'token_revoked', actor: user, address, now, traits })
  })
}
