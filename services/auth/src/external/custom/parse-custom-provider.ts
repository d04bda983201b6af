import { Type, type Static } from 'typebox'
import { validationFailed } from '../../errors.ts'
import { optional, OptionalFlag, OptionalRecord, OptionalText } from '../../request-body.ts'
import { isProviderAddress } from '../provider-network.ts'
import type { CustomProviderRow } from './custom-provider-row.ts'

const OptionalTexts = optional(Type.Array(Type.String()))

/** Administrator input: everything for a new provider, only changes for an existing one. */
export const CustomProviderBody = Type.Object({
  provider_type: OptionalText,
  identifier: OptionalText,
  name: OptionalText,
  client_id: OptionalText,
  client_secret: OptionalText,
  acceptable_client_ids: OptionalTexts,
  scopes: OptionalTexts,
  pkce_enabled: OptionalFlag,
  attribute_mapping: OptionalRecord,
  custom_claims_allowlist: OptionalTexts,
  authorization_params: OptionalRecord,
  enabled: OptionalFlag,
  email_optional: OptionalFlag,
  issuer: OptionalText,
  discovery_url: OptionalText,
  skip_nonce_check: OptionalFlag,
  authorization_url: OptionalText,
  token_url: OptionalText,
  userinfo_url: OptionalText,
  jwks_uri: OptionalText,
})

export type CustomProviderBody = Static<typeof CustomProviderBody>

/** Fields of a row; the service adds the id, the sealed secret and discovered values. */
export type CustomProviderFields = Omit<
  CustomProviderRow,
  'id' | 'client_secret' | 'cached_discovery' | 'created_at' | 'updated_at'
>

/** Authorization parameters that this server sets itself. */
export const RESERVED_PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'nonce',
])

/** Claims that only this server may set. */
const PROTECTED_FIELDS = new Set([
  'id',
  'aud',
  'role',
  'app_metadata',
  'created_at',
  'updated_at',
  'confirmed_at',
  'email_confirmed_at',
  'phone_confirmed_at',
  'email_verified',
  'phone_verified',
  'banned_until',
  'is_super_admin',
])

/** The length and characters that the table's check constraint allows. */
const IDENTIFIER = /^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$/

/** @throws {HoldfastError} `validation_failed` with GoTrue's messages */
export function requireCustomIdentifier(identifier: string): void {
  if (identifier === '') throw validationFailed('identifier is required')
  if (!identifier.startsWith('custom:')) {
    throw validationFailed(`identifier must start with 'custom:' prefix, e.g. 'custom:${identifier}'`)
  }
}

/**
 * Parses a new provider. Ignores fields that its type does not have.
 *
 * @throws {HoldfastError} `validation_failed`
 */
export function parseNewCustomProvider(body: CustomProviderBody): CustomProviderFields {
  const type = body.provider_type
  if (type !== 'oauth2' && type !== 'oidc') throw validationFailed("provider_type must be either 'oauth2' or 'oidc'")
  const identifier = body.identifier ?? ''
  requireCustomIdentifier(identifier)
  if (!IDENTIFIER.test(identifier)) {
    throw validationFailed('identifier must be 2 to 50 lower-case letters, digits, colons and hyphens')
  }
  const required = (field: 'name' | 'client_id' | 'client_secret' | 'issuer' | UrlField, of = ''): string => {
    const value = body[field]
    if (!value) throw validationFailed(`${field} is required${of}`)
    return value
  }
  required('client_secret')
  const isOidc = type === 'oidc'
  const fields: CustomProviderFields = {
    provider_type: type,
    identifier,
    name: required('name'),
    client_id: required('client_id'),
    acceptable_client_ids: body.acceptable_client_ids ?? [],
    scopes: scopesOf(isOidc, body.scopes ?? []),
    pkce_enabled: body.pkce_enabled ?? true,
    attribute_mapping: body.attribute_mapping ?? {},
    custom_claims_allowlist: body.custom_claims_allowlist ?? [],
    authorization_params: body.authorization_params ?? {},
    enabled: body.enabled ?? true,
    email_optional: body.email_optional ?? false,
    issuer: isOidc ? required('issuer', ' for OIDC providers') : null,
    discovery_url: isOidc ? body.discovery_url || null : null,
    skip_nonce_check: isOidc ? (body.skip_nonce_check ?? false) : false,
    authorization_url: isOidc ? null : required('authorization_url', ' for OAuth2 providers'),
    token_url: isOidc ? null : required('token_url', ' for OAuth2 providers'),
    userinfo_url: isOidc ? null : required('userinfo_url', ' for OAuth2 providers'),
    jwks_uri: isOidc ? null : body.jwks_uri || null,
  }
  checkFields(fields)
  return fields
}

/**
 * Applies changes to a provider. The identifier and type are kept.
 *
 * @throws {HoldfastError} `validation_failed`
 */
export function parseCustomProviderChange(current: CustomProviderRow, body: CustomProviderBody): CustomProviderFields {
  const isOidc = current.provider_type === 'oidc'
  const url = (field: UrlField | 'issuer' | 'discovery_url' | 'jwks_uri', isOfType: boolean): string | null =>
    (isOfType ? body[field] : undefined) || current[field]
  const fields: CustomProviderFields = {
    provider_type: current.provider_type,
    identifier: current.identifier,
    name: body.name || current.name,
    client_id: body.client_id || current.client_id,
    acceptable_client_ids: body.acceptable_client_ids ?? current.acceptable_client_ids,
    scopes: body.scopes ? scopesOf(isOidc, body.scopes) : current.scopes,
    pkce_enabled: body.pkce_enabled ?? current.pkce_enabled,
    attribute_mapping: body.attribute_mapping ?? current.attribute_mapping,
    custom_claims_allowlist: body.custom_claims_allowlist ?? current.custom_claims_allowlist,
    authorization_params: body.authorization_params ?? current.authorization_params,
    enabled: body.enabled ?? current.enabled,
    email_optional: body.email_optional ?? current.email_optional,
    issuer: url('issuer', isOidc),
    discovery_url: url('discovery_url', isOidc),
    skip_nonce_check: isOidc ? (body.skip_nonce_check ?? current.skip_nonce_check) : false,
    authorization_url: url('authorization_url', !isOidc),
    token_url: url('token_url', !isOidc),
    userinfo_url: url('userinfo_url', !isOidc),
    jwks_uri: url('jwks_uri', !isOidc),
  }
  checkFields(fields)
  return fields
}

type UrlField = 'authorization_url' | 'token_url' | 'userinfo_url'

function scopesOf(isOidc: boolean, scopes: readonly string[]): readonly string[] {
  return isOidc && !scopes.includes('openid') ? ['openid', ...scopes] : scopes
}

function checkFields(fields: CustomProviderFields): void {
  if ([...fields.name].length > 100) throw validationFailed('name must be at most 100 characters')
  if ([...fields.client_id].length > 512) throw validationFailed('client_id must be at most 512 characters')
  for (const [key, value] of Object.entries(fields.authorization_params)) {
    if (RESERVED_PARAMETERS.has(key.toLowerCase())) {
      throw validationFailed(`Cannot override reserved OAuth parameter: ${key}`)
    }
    if (typeof value !== 'string') {
      throw validationFailed(`Authorization parameter ${JSON.stringify(key)} must be a string`)
    }
  }
  for (const target of Object.keys(fields.attribute_mapping)) {
    if (PROTECTED_FIELDS.has(target)) throw validationFailed(`Cannot map to protected system field: ${target}`)
  }
  if (fields.custom_claims_allowlist.some((key) => key.trim() === '')) {
    throw validationFailed('custom_claims_allowlist entries must be non-empty strings')
  }
  const urls = [
    fields.issuer,
    fields.discovery_url,
    fields.authorization_url,
    fields.token_url,
    fields.userinfo_url,
    fields.jwks_uri,
  ]
  for (const url of urls) {
    if (url === null) continue
    if (URL.parse(url) === null) throw validationFailed('Invalid URL format')
    if (!isProviderAddress(url, { loopback: true })) throw validationFailed('URL must use HTTPS')
  }
}
