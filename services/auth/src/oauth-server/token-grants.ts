import { HoldfastError, type Clock } from '@holdfast/foundation'
import { sql, type Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { grantByRefreshToken, type GrantByRefreshTokenNeeds } from '../grants/refresh-token-grant.ts'
import { findPresentedToken } from '../sessions/presented-token.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import { findSession, type RequestOrigin } from '../sessions/session-row.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isoNow } from '../store.ts'
import { findUserById, isBanned } from '../users/user-row.ts'
import { type AuthorizationRow, lockAuthorizationOfCode } from './authorization-row.ts'
import type { OAuthClientRow } from './client-row.ts'
import { invalidGrant, invalidRequest, invalidScope, unsupportedGrantType } from './errors.ts'
import { signIdToken, type SignIdTokenNeeds } from './id-token.ts'
import { includesAll, parseScopes } from './scopes.ts'
import { hashSecret, matchesChallenge } from './secrets.ts'

export type GrantTokensNeeds = GrantByRefreshTokenNeeds & SignIdTokenNeeds & { readonly sessions: Sessions }

export interface TokenRequest {
  readonly client: OAuthClientRow
  /** The fields of the request. */
  readonly body: ReadonlyMap<string, string>
  readonly origin: RequestOrigin
}

/**
 * Issues tokens for a code or a refresh token.
 *
 * @returns the response as in RFC 6749, section 5.1
 * @throws {OAuthError} with the codes of section 5.2
 */
export async function grantTokens(needs: GrantTokensNeeds, request: TokenRequest): Promise<Record<string, unknown>> {
  const grantType = request.body.get('grant_type') ?? ''
  if (grantType === '') throw invalidRequest('grant_type is required')
  if (grantType !== 'authorization_code' && grantType !== 'refresh_token') {
    throw unsupportedGrantType(`Unsupported grant type: ${grantType}`)
  }
  if (!request.client.grant_types.includes(grantType)) {
    throw unsupportedGrantType(`Client is not allowed to use grant type: ${grantType}`)
  }
  return grantType === 'authorization_code' ? grantByCode(needs, request) : refresh(needs, request)
}

/** Outcome of the transaction that locks the code. A refusal that ends a session must commit, so it is returned instead of thrown. */
type CodeOutcome = 'reused' | { readonly signedIn: SignedIn; readonly idToken: string | undefined }

async function grantByCode(needs: GrantTokensNeeds, request: TokenRequest): Promise<Record<string, unknown>> {
  const { pool, clock, logger } = needs
  const { client, body } = request
  const code = body.get('code') ?? ''
  if (code === '') throw invalidRequest('code is required for authorization_code grant')
  let scope = ''
  const outcome = await pool.transaction(async (tx): Promise<CodeOutcome> => {
    const authorization = await lockAuthorizationOfCode(tx, hashSecret(code))
    if (!authorization) throw invalidGrant('Invalid authorization code')
    if (authorization.client_id !== client.id) {
      throw invalidGrant('Authorization code was not issued for this client')
    }
    if (authorization.code_used_at !== null) {
      await endSessionOf(clock, tx, authorization, request.origin)
      return 'reused'
    }
    requireSameRequest(clock, authorization, body)
    scope = authorization.scope
    return startAppSession(needs, tx, request, authorization)
  })
  if (outcome === 'reused') {
    logger.log('warn', 'an authorization code was presented again; the session that it began was ended', {
      clientId: client.id,
    })
    throw invalidGrant('Invalid authorization code')
  }
  return {
    ...renderTokens(client, outcome.signedIn, scope),
    ...(outcome.idToken === undefined ? {} : { id_token: outcome.idToken }),
  }
}

/** @throws {OAuthError} `invalid_grant` if the code has expired or the request does not match the authorization */
function requireSameRequest(clock: Clock, authorization: AuthorizationRow, body: ReadonlyMap<string, string>): void {
  if (authorization.expires_at.getTime() <= clock.now()) throw invalidGrant('Authorization code has expired')
  const redirectUri = body.get('redirect_uri') ?? ''
  if (redirectUri !== '' && redirectUri !== authorization.redirect_uri) throw invalidGrant('Invalid redirect_uri')
  const resource = body.get('resource') ?? ''
  if (resource !== '' && resource !== authorization.resource) {
    throw invalidGrant('Authorization code resource does not match the resource parameter')
  }
  const verifier = body.get('code_verifier') ?? ''
  if (verifier === '') {
    throw invalidGrant('PKCE verification failed: code_verifier is required when PKCE challenge is present')
  }
  if (authorization.code_challenge === null || !matchesChallenge(verifier, authorization.code_challenge)) {
    throw invalidGrant('PKCE verification failed: code challenge does not match previously saved code verifier')
  }
}

async function startAppSession(
  needs: GrantTokensNeeds,
  tx: Transaction,
  request: TokenRequest,
  authorization: AuthorizationRow,
): Promise<CodeOutcome> {
  const { clock, sessions } = needs
  const { client, origin } = request
  const nowMs = clock.now()
  const now = new Date(nowMs).toISOString()
  const user = authorization.user_id === null ? undefined : await findUserById(tx, authorization.user_id)
  if (!user) throw invalidGrant('User not found for authorization code')
  if (isBanned(user, nowMs)) throw invalidGrant('User is banned')
  const traits = { provider_type: 'oauth_provider_authorization_code', client_id: client.id }
  await recordAudit(tx, { action: 'login', actor: user, address: origin.address, now, traits })
  const signedIn = await sessions.start(tx, {
    userId: user.id,
    method: 'oauth_provider/authorization_code',
    origin,
    oauthClient: { id: client.id, scopes: authorization.scope },
    now,
  })
  await tx.execute(sql`
    update auth.oauth_authorizations
       set code_used_at = ${now},
           session_id = (select session_id from auth.refresh_tokens where token = ${signedIn.refreshToken})
     where id = ${authorization.id}
  `)
  const scopes = parseScopes(authorization.scope)
  const authTimeMs = user.last_sign_in_at?.getTime() ?? nowMs
  const { nonce } = authorization
  const idToken = scopes.includes('openid')
    ? await signIdToken(needs, { user: signedIn.user, clientId: client.id, nonce, scopes, authTimeMs })
    : undefined
  return { signedIn, idToken }
}

/** A reused code may have been stolen, so the session from its first use ends. */
async function endSessionOf(
  clock: Clock,
  tx: Transaction,
  authorization: AuthorizationRow,
  origin: RequestOrigin,
): Promise<void> {
  if (authorization.session_id === null || authorization.user_id === null) return
  const ended = await tx.execute(sql`delete from auth.sessions where id = ${authorization.session_id}`)
  const user = await findUserById(tx, authorization.user_id)
  if (ended === 0 || !user) return
  const now = isoNow(clock)
  const traits = { oauth_client_id: authorization.client_id, action: 'authorization_code_reused' }
  await recordAudit(tx, { action: 'token_revoked', actor: user, address: origin.address, now, traits })
}

async function refresh(needs: GrantTokensNeeds, request: TokenRequest): Promise<Record<string, unknown>> {
  const { pool } = needs
  const { client, body, origin } = request
  const refreshToken = body.get('refresh_token') ?? ''
  if (refreshToken === '') throw invalidRequest('refresh_token is required for refresh_token grant')
  const sessionId = (await findPresentedToken(pool, refreshToken))?.sessionId
  const session = sessionId === undefined ? undefined : await findSession(pool, sessionId)
  const scope = session?.scopes ?? ''
  if (
    session?.oauth_client_id === client.id &&
    !includesAll(parseScopes(scope), parseScopes(body.get('scope') ?? ''))
  ) {
    throw invalidScope('The requested scope exceeds what was granted')
  }
  const signedIn = await refreshInOAuthsWords(needs, { refreshToken, origin, oauthClientId: client.id })
  return renderTokens(client, signedIn, scope)
}

/** Maps every refresh token failure to one OAuth error: the app has to ask the user again. */
async function refreshInOAuthsWords(
  needs: GrantTokensNeeds,
  input: { readonly refreshToken: string; readonly origin: RequestOrigin; readonly oauthClientId: string },
): Promise<SignedIn> {
  try {
    return await grantByRefreshToken(needs, input)
  } catch (error) {
    throw error instanceof HoldfastError && error.status === 400 ? invalidGrant(error.message) : error
  }
}

/** Renders the token response. An app that may not refresh gets no refresh token. */
function renderTokens(client: OAuthClientRow, signedIn: SignedIn, scope: string): Record<string, unknown> {
  return {
    access_token: signedIn.access.accessToken,
    token_type: 'bearer',
    expires_in: signedIn.access.expiresInS,
    ...(client.grant_types.includes('refresh_token') ? { refresh_token: signedIn.refreshToken } : {}),
    scope,
  }
}
