import { Type } from 'typebox'
import { validationFailed } from '../errors.ts'
import { OAUTH_CLIENT_NAME_CHARS_MAX, OAUTH_URI_CHARS_MAX } from '../limits.ts'
import { optional, OptionalText } from '../request-body.ts'
import type { OAuthClientRow, TokenEndpointAuthMethod } from './client-row.ts'
import { requireRedirectUris } from './redirect-uris.ts'

const TextList = optional(Type.Array(Type.String()))

/** Client metadata from an app. Source: auth-js, `CreateOAuthClientParams`; RFC 7591, section 2. */
export const ClientBody = Type.Object({
  client_name: OptionalText,
  client_uri: OptionalText,
  logo_uri: OptionalText,
  redirect_uris: TextList,
  grant_types: TextList,
  response_types: TextList,
  client_type: OptionalText,
  token_endpoint_auth_method: OptionalText,
})

export type ClientMetadata = Type.Static<typeof ClientBody>

type ClientType = OAuthClientRow['client_type']

const METHODS: Readonly<Record<ClientType, readonly TokenEndpointAuthMethod[]>> = {
  public: ['none'],
  confidential: ['client_secret_basic', 'client_secret_post'],
}

const ALL_METHODS: readonly TokenEndpointAuthMethod[] = [...METHODS.public, ...METHODS.confidential]

/** Complete metadata of a client. */
export interface NewClient {
  readonly name: string | null
  readonly uri: string | null
  readonly logoUri: string | null
  readonly redirectUris: readonly string[]
  readonly grantTypes: readonly string[]
  readonly type: ClientType
  readonly method: TokenEndpointAuthMethod
}

/**
 * Parses a new app's metadata. An app that names no authentication method gets a secret.
 *
 * @throws {HoldfastError} `validation_failed`
 */
export function parseNewClient(metadata: ClientMetadata): NewClient {
  const { redirect_uris: redirectUris, grant_types: grantTypes, response_types: responseTypes } = metadata
  requireRedirectUris(redirectUris ?? [])
  if (grantTypes && grantTypes.length > 0) requireGrantTypes(grantTypes)
  if (responseTypes && responseTypes.some((type) => type !== 'code')) {
    throw validationFailed("response_types must only contain 'code'")
  }
  requireTexts(metadata)
  const method = metadata.token_endpoint_auth_method ? parseMethod(metadata.token_endpoint_auth_method) : undefined
  const type = metadata.client_type ? parseType(metadata.client_type) : method === 'none' ? 'public' : 'confidential'
  if (method !== undefined && !METHODS[type].includes(method)) {
    const expected = method === 'none' ? 'public' : 'confidential'
    throw validationFailed(
      `client_type '${type}' is inconsistent with token_endpoint_auth_method '${method}' (expected client_type '${expected}')`,
    )
  }
  return {
    name: metadata.client_name || null,
    uri: metadata.client_uri || null,
    logoUri: metadata.logo_uri || null,
    redirectUris: redirectUris ?? [],
    grantTypes: grantTypes && grantTypes.length > 0 ? grantTypes : ['authorization_code', 'refresh_token'],
    type,
    method: method ?? (type === 'public' ? 'none' : 'client_secret_basic'),
  }
}

/**
 * Parses changes to an app; omitted fields are kept.
 *
 * @throws {HoldfastError} `validation_failed`
 */
export function parseChangedClient(client: OAuthClientRow, metadata: ClientMetadata): NewClient {
  const { redirect_uris: redirectUris, grant_types: grantTypes } = metadata
  const named = [redirectUris, grantTypes, metadata.client_name, metadata.client_uri, metadata.logo_uri]
  if ([...named, metadata.token_endpoint_auth_method].every((field) => field === undefined || field === null)) {
    throw validationFailed('No fields provided for update')
  }
  if (redirectUris) requireRedirectUris(redirectUris)
  if (grantTypes) requireGrantTypes(grantTypes)
  requireTexts(metadata)
  const method = metadata.token_endpoint_auth_method
    ? parseMethod(metadata.token_endpoint_auth_method)
    : client.token_endpoint_auth_method
  if (!METHODS[client.client_type].includes(method)) {
    const valid = METHODS[client.client_type].join(' ')
    throw validationFailed(
      `token_endpoint_auth_method '${method}' is not valid for client_type '${client.client_type}'; valid methods: [${valid}]`,
    )
  }
  const changed = (given: string | null | undefined, kept: string | null): string | null =>
    given === undefined || given === null ? kept : given || null
  return {
    name: changed(metadata.client_name, client.client_name),
    uri: changed(metadata.client_uri, client.client_uri),
    logoUri: changed(metadata.logo_uri, client.logo_uri),
    redirectUris: redirectUris ?? client.redirect_uris,
    grantTypes: grantTypes ?? client.grant_types,
    type: client.client_type,
    method,
  }
}

function requireGrantTypes(grantTypes: readonly string[]): void {
  if (grantTypes.length === 0) throw validationFailed('grant_types cannot be empty')
  if (grantTypes.some((type) => type !== 'authorization_code' && type !== 'refresh_token')) {
    throw validationFailed("grant_types must only contain 'authorization_code' and/or 'refresh_token'")
  }
}

function requireTexts(metadata: ClientMetadata): void {
  if ((metadata.client_name?.length ?? 0) > OAUTH_CLIENT_NAME_CHARS_MAX) {
    throw validationFailed(`client_name cannot exceed ${OAUTH_CLIENT_NAME_CHARS_MAX} characters`)
  }
  for (const name of ['client_uri', 'logo_uri'] as const) {
    const text = metadata[name] ?? ''
    if (text === '') continue
    if (text.length > OAUTH_URI_CHARS_MAX) {
      throw validationFailed(`${name} cannot exceed ${OAUTH_URI_CHARS_MAX} characters`)
    }
    // Users see these as a link and an image.
    const url = URL.parse(text)
    if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
      throw validationFailed(`${name} must be a valid URL`)
    }
  }
}

function parseMethod(text: string): TokenEndpointAuthMethod {
  const method = ALL_METHODS.find((each) => each === text)
  if (!method) throw validationFailed(`token_endpoint_auth_method must be one of: [${ALL_METHODS.join(' ')}]`)
  return method
}

function parseType(text: string): ClientType {
  if (text === 'public' || text === 'confidential') return text
  throw validationFailed("client_type must be 'public' or 'confidential'")
}
