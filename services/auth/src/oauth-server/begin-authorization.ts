import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import { validationFailed } from '../errors.ts'
import { OAUTH_AUTHORIZATION_KEPT_HOURS, OAUTH_AUTHORIZATION_LIFETIME_S, OAUTH_TEXT_CHARS_MAX } from '../limits.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import type { Store } from '../store.ts'
import { findClient } from './client-row.ts'
import { clientNotFound } from './errors.ts'
import { isRegisteredRedirect, withParameters } from './redirect-uris.ts'
import { DEFAULT_SCOPE, findUnsupportedScope, parseScopes } from './scopes.ts'
import { createSecret } from './secrets.ts'

export type BeginAuthorizationNeeds = Store &
  WithOptions<'oauthServerAuthorizationUrlPath'> & { readonly issuer: string; readonly redirects: RedirectPolicy }

const PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'resource',
  'code_challenge',
  'code_challenge_method',
  'nonce',
] as const

type AuthorizeParameters = Readonly<Record<(typeof PARAMETERS)[number], string>>

/**
 * Starts an authorization requested by an app.
 *
 * Errors about the app or its redirect URI are shown to the browser; all others are sent to the app's redirect URI.
 *
 * @returns the redirect: the consent page, or the app with an error
 * @throws {HoldfastError} `validation_failed`, `oauth_client_not_found`
 * @see RFC 6749, section 4.1.1; RFC 9700, section 4.1
 */
export async function beginAuthorization(needs: BeginAuthorizationNeeds, query: URLSearchParams): Promise<string> {
  const { pool, issuer, options, redirects } = needs
  const parameters = Object.fromEntries(PARAMETERS.map((name) => [name, query.get(name) ?? ''])) as AuthorizeParameters
  if (parameters.client_id === '') throw validationFailed('client_id is required')
  if (parameters.redirect_uri === '') throw validationFailed('redirect_uri is required')
  const client = await findClient(pool, parameters.client_id)
  if (!client) throw clientNotFound(400)
  if (!isRegisteredRedirect(client.redirect_uris, parameters.redirect_uri)) {
    throw validationFailed('invalid redirect_uri')
  }

  const state = parameters.state === '' ? undefined : parameters.state
  const fault = findRepetition(query) ?? findFault(parameters)
  if (fault !== undefined) {
    return withParameters(parameters.redirect_uri, {
      error: fault.error,
      error_description: fault.description,
      state,
      iss: issuer,
    })
  }
  const authorizationId = await insertAuthorization(needs, client.id, parameters)
  const site = redirects.siteUrl.replace(/\/+$/, '')
  const path = options.oauthServerAuthorizationUrlPath.replace(/^\/*/, '/')
  return withParameters(site + path, { authorization_id: authorizationId })
}

interface Fault {
  readonly error: 'invalid_request' | 'invalid_scope' | 'unsupported_response_type'
  readonly description: string
}

function findRepetition(query: URLSearchParams): Fault | undefined {
  const name = PARAMETERS.find((each) => query.getAll(each).length > 1)
  return name === undefined ? undefined : { error: 'invalid_request', description: `${name} is given more than once` }
}

function findFault(parameters: AuthorizeParameters): Fault | undefined {
  const invalid = (description: string): Fault => ({ error: 'invalid_request', description })
  const { code_challenge: challenge, code_challenge_method: method, response_type: responseType } = parameters
  if (responseType !== '' && responseType !== 'code') {
    return { error: 'unsupported_response_type', description: 'only response_type=code is supported' }
  }
  const unsupported = findUnsupportedScope(parseScopes(parameters.scope))
  if (unsupported !== undefined) {
    return { error: 'invalid_scope', description: `unsupported scope: ${unsupported}` }
  }
  if (challenge === '' || method === '') {
    return invalid('PKCE flow requires both code_challenge and code_challenge_method')
  }
  if (method.toLowerCase() !== 's256') return invalid("code_challenge_method must be 'S256'")
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) return invalid('code_challenge must be 43 characters of base64url')
  if (parameters.nonce.length > 255) return invalid('nonce must not be longer than 255 characters')
  if (parameters.state.length > OAUTH_TEXT_CHARS_MAX || parameters.resource.length > OAUTH_TEXT_CHARS_MAX / 2) {
    return invalid('state or resource is too long')
  }
  return findResourceFault(parameters.resource)
}

/** @see RFC 8707, section 2 */
function findResourceFault(resource: string): Fault | undefined {
  if (resource === '') return undefined
  const isAbsolute = URL.canParse(resource)
  if (isAbsolute && !resource.includes('#') && !resource.includes('?')) return undefined
  const description = isAbsolute
    ? 'resource must not include a fragment or a query component'
    : 'resource must be an absolute URI'
  return { error: 'invalid_request', description }
}

async function insertAuthorization(
  { pool, clock }: BeginAuthorizationNeeds,
  clientId: string,
  parameters: AuthorizeParameters,
): Promise<string> {
  const authorizationId = createSecret()
  const nowMs = clock.now()
  const now = new Date(nowMs).toISOString()
  const scopes = parseScopes(parameters.scope)
  await pool.execute(sql`
    with forgotten as (
      delete from auth.oauth_authorizations
       where expires_at < ${now}::timestamptz - make_interval(hours => ${OAUTH_AUTHORIZATION_KEPT_HOURS})
    )
    insert into auth.oauth_authorizations (
      id, authorization_id, client_id, redirect_uri, scope, state, resource, code_challenge, code_challenge_method, response_type,
      status, nonce, created_at, expires_at
    ) values (
      ${randomUUID()}, ${authorizationId}, ${clientId}, ${parameters.redirect_uri},
      ${scopes.length === 0 ? DEFAULT_SCOPE : scopes.join(' ')}, ${parameters.state || null}, ${parameters.resource || null},
      ${parameters.code_challenge}, 's256', 'code', 'pending', ${parameters.nonce || null}, ${now},
      ${new Date(nowMs + OAUTH_AUTHORIZATION_LIFETIME_S * 1000).toISOString()}
    )
  `)
  return authorizationId
}
