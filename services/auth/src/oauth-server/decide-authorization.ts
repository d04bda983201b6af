import type { Clock } from '@holdfast/foundation'
import { type Queryable, sql, type Transaction } from '@holdfast/postgres'
import { validationFailed } from '../errors.ts'
import { OAUTH_CODE_LIFETIME_S } from '../limits.ts'
import { isoNow, type Store } from '../store.ts'
import type { UserRow } from '../users/user-row.ts'
import { type AuthorizationRow, lockAuthorization } from './authorization-row.ts'
import { describeClient, findClient } from './client-row.ts'
import { findConsentedScopes, saveConsent } from './consents.ts'
import { authorizationNotFound } from './errors.ts'
import { withParameters } from './redirect-uris.ts'
import { includesAll, parseScopes } from './scopes.ts'
import { createSecret, hashSecret } from './secrets.ts'

export type DecideAuthorizationNeeds = Store & { readonly issuer: string }

/**
 * Returns the content of the consent page, or the redirect with a code if already granted. The first user who opens the page decides.
 *
 * @throws {HoldfastError} `oauth_authorization_not_found`, `validation_failed`
 */
export async function describeAuthorization(
  needs: DecideAuthorizationNeeds,
  input: { readonly authorizationId: string; readonly user: UserRow },
): Promise<Record<string, unknown>> {
  const { pool, clock } = needs
  const { user } = input
  return pool.transaction(async (tx) => {
    const authorization = await lockAuthorization(tx, input.authorizationId)
    const client = authorization ? await findClient(tx, authorization.client_id) : undefined
    if (!authorization || !client || isOver(clock, authorization)) throw authorizationNotFound()
    if (authorization.status !== 'pending') throw validationFailed('authorization request cannot be processed')
    if (authorization.user_id !== null && authorization.user_id !== user.id) throw authorizationNotFound()
    if (authorization.user_id === null) {
      await tx.execute(sql`update auth.oauth_authorizations set user_id = ${user.id} where id = ${authorization.id}`)
      const consented = await findConsentedScopes(tx, user.id, client.id)
      if (includesAll(consented, parseScopes(authorization.scope))) {
        return { redirect_url: await approve(needs, tx, authorization) }
      }
    }
    return {
      authorization_id: authorization.authorization_id,
      redirect_uri: authorization.redirect_uri,
      client: describeClient(client),
      user: { id: user.id, email: user.email ?? '' },
      scope: authorization.scope,
    }
  })
}

/**
 * Applies a user's decision.
 *
 * @returns the redirect to the app, with a code or a refusal
 * @throws {HoldfastError} `oauth_authorization_not_found`, `validation_failed`
 */
export async function decideAuthorization(
  needs: DecideAuthorizationNeeds,
  input: { readonly authorizationId: string; readonly user: UserRow; readonly action: string },
): Promise<string> {
  const { pool, clock, issuer } = needs
  const { user, action } = input
  if (action !== 'approve' && action !== 'deny') throw validationFailed("action must be 'approve' or 'deny'")
  return pool.transaction(async (tx) => {
    const authorization = await lockAuthorization(tx, input.authorizationId)
    if (!authorization || isOver(clock, authorization)) throw authorizationNotFound()
    if (authorization.status !== 'pending') throw validationFailed('authorization request is no longer pending')
    // A user who has not opened the page has not seen the request.
    if (authorization.user_id !== user.id) throw authorizationNotFound()
    if (!(await findClient(tx, authorization.client_id))) throw authorizationNotFound()
    if (action === 'deny') return deny(issuer, tx, authorization)
    await saveConsent(tx, {
      userId: user.id,
      clientId: authorization.client_id,
      scopes: parseScopes(authorization.scope),
      now: isoNow(clock),
    })
    return approve(needs, tx, authorization)
  })
}

function isOver(clock: Clock, authorization: AuthorizationRow): boolean {
  return authorization.expires_at.getTime() <= clock.now()
}

async function approve(
  { clock, issuer }: DecideAuthorizationNeeds,
  tx: Transaction,
  authorization: AuthorizationRow,
): Promise<string> {
  const code = createSecret()
  const nowMs = clock.now()
  await tx.execute(sql`
    update auth.oauth_authorizations
       set status = 'approved', authorization_code = ${hashSecret(code)}, approved_at = ${new Date(nowMs).toISOString()},
           expires_at = ${new Date(nowMs + OAUTH_CODE_LIFETIME_S * 1000).toISOString()}
     where id = ${authorization.id}
  `)
  return withParameters(authorization.redirect_uri, {
    code,
    state: authorization.state ?? undefined,
    iss: issuer,
  })
}

async function deny(issuer: string, db: Queryable, authorization: AuthorizationRow): Promise<string> {
  await db.execute(sql`update auth.oauth_authorizations set status = 'denied' where id = ${authorization.id}`)
  return withParameters(authorization.redirect_uri, {
    error: 'access_denied',
    error_description: 'User denied the request',
    state: authorization.state ?? undefined,
    iss: issuer,
  })
}
