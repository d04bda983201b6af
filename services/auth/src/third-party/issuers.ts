import { optionInvalid } from '../errors.ts'
import { isLoopbackUrl, isProviderAddress } from '../external/provider-network.ts'
import type { AuthOptions } from '../options/auth-options.ts'

/** An issuer whose tokens are accepted in addition to ours. */
export interface ThirdPartyIssuer {
  /** Name in logs. */
  readonly name: string
  /** Without trailing slash; base of the discovery document. */
  readonly url: string
  /** A token must name one of these; empty for no check. */
  readonly audiences: readonly string[]
}

const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i

/** Format required by Supabase's CLI. */
const CLERK_DOMAIN = /^(clerk(\.[a-z0-9-]+){2,}|([a-z0-9-]+\.)+clerk\.accounts\.dev)$/

/**
 * Reads the issuers from the options. Their addresses never come from a token.
 *
 * @param ownIssuer - the `iss` of our tokens, which no other issuer may use
 * @throws {HoldfastError} `option_invalid` for an enabled issuer with incomplete settings
 */
export function readThirdPartyIssuers(options: AuthOptions, ownIssuer: string): readonly ThirdPartyIssuer[] {
  const issuers = [firebase(options), auth0(options), cognito(options), clerk(options), workos(options)].filter(
    (issuer) => issuer !== undefined,
  )
  const addresses = new Set([withoutSlash(ownIssuer)])
  for (const { name, url } of issuers) {
    if (addresses.has(url)) {
      throw optionInvalid(`thirdParty${name}Enabled`, `${url} is the issuer of this server, or named twice.`)
    }
    addresses.add(url)
  }
  return issuers
}

/** Removes a trailing slash. Auth0's tokens name the issuer with one, its settings without. */
export function withoutSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address
}

function firebase(options: AuthOptions): ThirdPartyIssuer | undefined {
  if (!options.thirdPartyFirebaseEnabled) return undefined
  const projectId = requireLabel('thirdPartyFirebaseProjectId', options.thirdPartyFirebaseProjectId)
  // The same keys sign for all Firebase projects, so issuer and audience distinguish them.
  return { name: 'Firebase', url: `https://securetoken.google.com/${projectId}`, audiences: [projectId] }
}

function auth0(options: AuthOptions): ThirdPartyIssuer | undefined {
  if (!options.thirdPartyAuth0Enabled) return undefined
  const tenant = requireLabel('thirdPartyAuth0Tenant', options.thirdPartyAuth0Tenant)
  const region = options.thirdPartyAuth0TenantRegion
    ? `.${requireLabel('thirdPartyAuth0TenantRegion', options.thirdPartyAuth0TenantRegion)}`
    : ''
  return { name: 'Auth0', url: `https://${tenant}${region}.auth0.com`, audiences: options.thirdPartyAudiences }
}

function cognito(options: AuthOptions): ThirdPartyIssuer | undefined {
  if (!options.thirdPartyAwsCognitoEnabled) return undefined
  const region = requireLabel('thirdPartyAwsCognitoUserPoolRegion', options.thirdPartyAwsCognitoUserPoolRegion)
  const pool = options.thirdPartyAwsCognitoUserPoolId ?? ''
  if (!/^[\w-]+$/.test(pool)) throw optionInvalid('thirdPartyAwsCognitoUserPoolId', 'It is no id of a user pool.')
  const url = `https://cognito-idp.${region}.amazonaws.com/${pool}`
  return { name: 'AwsCognito', url, audiences: options.thirdPartyAudiences }
}

function clerk(options: AuthOptions): ThirdPartyIssuer | undefined {
  if (!options.thirdPartyClerkEnabled) return undefined
  const domain = options.thirdPartyClerkDomain ?? ''
  if (!CLERK_DOMAIN.test(domain)) {
    throw optionInvalid('thirdPartyClerkDomain', 'It has to be like clerk.example.com or example.clerk.accounts.dev.')
  }
  return { name: 'Clerk', url: `https://${domain}`, audiences: options.thirdPartyAudiences }
}

function workos(options: AuthOptions): ThirdPartyIssuer | undefined {
  if (!options.thirdPartyWorkosEnabled) return undefined
  const url = options.thirdPartyWorkosIssuerUrl ?? ''
  const parsed = URL.parse(url)
  const isAddress = isProviderAddress(url, { loopback: isLoopbackUrl(url) })
  if (!isAddress || parsed?.search !== '' || parsed.hash !== '') {
    throw optionInvalid(
      'thirdPartyWorkosIssuerUrl',
      'It has to be an https address without query; http is allowed on this machine.',
    )
  }
  return { name: 'Workos', url: withoutSlash(url), audiences: options.thirdPartyAudiences }
}

function requireLabel(option: string, value: string | undefined): string {
  if (value === undefined || !LABEL.test(value))
    throw optionInvalid(option, 'It has to be a name of letters, digits and hyphens.')
  return value
}
