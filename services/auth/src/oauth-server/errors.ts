import { HoldfastError, refusal } from '@holdfast/foundation'

// Errors for users and administrators use GoTrue's codes; those at the token endpoint use OAuth's.

/** An error for another app, rendered as in RFC 6749, section 5.2. `code` is the OAuth error. */
export class OAuthError extends HoldfastError {}

export function invalidRequest(description: string): OAuthError {
  return new OAuthError('invalid_request', 400, description)
}

/** @param usedBasic - whether the app sent its secret in the `authorization` header */
export function invalidClient(usedBasic: boolean, description = 'Invalid client credentials'): OAuthError {
  const headers = usedBasic ? { headers: { 'www-authenticate': 'Basic realm="oauth"' } } : {}
  return new OAuthError('invalid_client', 401, description, headers)
}

export function invalidGrant(description: string): OAuthError {
  return new OAuthError('invalid_grant', 400, description)
}

export function unsupportedGrantType(description: string): OAuthError {
  return new OAuthError('unsupported_grant_type', 400, description)
}

export function invalidScope(description: string): OAuthError {
  return new OAuthError('invalid_scope', 400, description)
}

export const oauthServerDisabled = refusal('feature_disabled', 404, 'OAuth server is disabled')
export const dynamicRegistrationDisabled = refusal(
  'oauth_dynamic_client_registration_disabled',
  403,
  'Dynamic client registration is not enabled',
)
/** @param status - 400 if an app names itself, 404 for an admin API path */
export const clientNotFound = (status: 400 | 404): HoldfastError =>
  new HoldfastError('oauth_client_not_found', status, status === 400 ? 'invalid client_id' : 'OAuth client not found')
/** The authorization does not exist, is finished, or belongs to another user. */
export const authorizationNotFound = refusal('oauth_authorization_not_found', 404, 'authorization not found')
export const grantNotFound = refusal('oauth_consent_not_found', 404, 'No active grant found for this client')
