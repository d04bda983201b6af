import { type JsonObject, isRecord } from '@holdfast/foundation'
import type { AuthorizationServer } from 'oauth4webapi'
import { type ExternalProfile, toProviderEmails } from './profile.ts'
import type { ProviderNetwork } from './provider-network.ts'
import type { ProviderGrant } from './provider.ts'
import { textOf, requireRecord } from './read-json.ts'

/** The OpenID Connect claims that are stored, and the older names that Supabase apps read. */
const TEXT_CLAIMS = [
  'iss',
  'name',
  'family_name',
  'given_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'phone',
  'full_name',
  'avatar_url',
  'slug',
  'provider_id',
  'user_name',
] as const

/** An administrator's rules for reading a provider's claims. */
export interface ClaimRules {
  /** Maps our claim names to the provider's. Non-string values are used literally. */
  readonly attributeMapping: Readonly<Record<string, unknown>>
  /** Claims copied unchanged into `custom_claims`. */
  readonly customClaimsAllowlist: readonly string[]
}

const NO_RULES: ClaimRules = { attributeMapping: {}, customClaimsAllowlist: [] }

/**
 * Reads a profile from an ID token or a userinfo response.
 *
 * @throws {Error} without a subject, because the user could not be recognised again
 */
export function readClaims(raw: Readonly<Record<string, unknown>>, rules: ClaimRules = NO_RULES): ExternalProfile {
  const claims = applyMapping(raw, rules.attributeMapping)
  const subject = textOf(claims['sub'])
  if (subject === undefined || subject === '') throw new Error('the provider does not name the person')
  const verified = isTrue(raw['email_verified'])
  const custom = {
    ...(isRecord(claims['custom_claims']) ? claims['custom_claims'] : {}),
    ...Object.fromEntries(rules.customClaimsAllowlist.filter((key) => key in raw).map((key) => [key, raw[key]])),
  }
  const name = textOf(claims['name'])
  return {
    subject,
    emails: toProviderEmails([{ email: claims['email'], verified, primary: true }]),
    claims: {
      full_name: name,
      avatar_url: textOf(claims['picture']),
      provider_id: subject,
      ...Object.fromEntries(
        TEXT_CLAIMS.flatMap((key) => {
          const value = textOf(claims[key])
          return value === undefined ? [] : [[key, value]]
        }),
      ),
      phone_verified: claims['phone'] !== undefined && isTrue(raw['phone_verified']),
      custom_claims: custom,
    },
  }
}

function applyMapping(
  raw: Readonly<Record<string, unknown>>,
  mapping: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const mapped = Object.entries(mapping).flatMap(([target, source]) => {
    if (typeof source !== 'string') return [[target, source] as const]
    return source in raw ? [[target, raw[source]] as const] : []
  })
  return { ...raw, ...Object.fromEntries(mapped) }
}

/** Accepts `'true'` too, because some providers send booleans as strings. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 'true'
}

/**
 * Reads a user's claims from an OpenID provider: the ID token, and userinfo if the token lacks an email, as with many providers.
 *
 * @param input.always - query userinfo even if the token suffices
 * @throws {Error} if userinfo is about another user
 * @see OpenID Connect Core 1.0, section 5.3
 */
export async function readOidcClaims(input: {
  readonly server: AuthorizationServer
  readonly network: ProviderNetwork
  readonly grant: ProviderGrant
  readonly always?: boolean
}): Promise<JsonObject> {
  const { server, network, grant, always = false } = input
  const claims = requireRecord(grant.idToken)
  const isEnough = typeof claims['email'] === 'string' && !always
  if (isEnough || grant.accessToken === undefined || server.userinfo_endpoint === undefined) return claims
  const info = requireRecord(await network.getJson(server.userinfo_endpoint, grant.accessToken))
  if (info['sub'] !== claims['sub']) throw new Error('the userinfo endpoint describes another user')
  return { ...info, ...claims }
}
