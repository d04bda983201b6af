import type { WithOptions } from '../options/auth-options.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import { SUPPORTED_SCOPES } from './scopes.ts'

export type DescribeServerNeeds = WithOptions<'oauthServerAllowDynamicRegistration' | 'oauthServerEnabled'> & {
  readonly issuer: string
  readonly keys: SigningKeys
}

/**
 * Renders the discovery document for OpenID and OAuth.
 *
 * @see OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2
 */
export function describeServer({ issuer, keys, options }: DescribeServerNeeds): Record<string, unknown> {
  const algorithms = new Set([keys.current.algorithm, ...keys.jwks.keys.map(({ alg }) => alg)])
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    ...(options.oauthServerEnabled && options.oauthServerAllowDynamicRegistration
      ? { registration_endpoint: `${issuer}/oauth/clients/register` }
      : {}),
    scopes_supported: SUPPORTED_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...algorithms],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    claims_supported: [
      'sub',
      'aud',
      'iss',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'email',
      'email_verified',
      'phone_number',
      'phone_number_verified',
      'name',
      'picture',
      'preferred_username',
      'updated_at',
    ],
  }
}
