import type { JsonObject } from '@holdfast/foundation'
import { toProviderEmails } from '../profile.ts'
import type { BuiltInProvider } from '../provider.ts'
import { createProviderNetwork } from '../provider-network.ts'
import { requireRecord, requireSubject, textOf } from '../read-json.ts'

/** The endpoint for accounts of every tenant. Its tokens name the user's tenant as the issuer. */
const COMMON = 'https://login.microsoftonline.com/common'

const TENANT_ISSUER = /^https:\/\/login\.microsoftonline\.com\/([0-9a-z.-]+)\/v2\.0\/?$/i

/** Names of tenant groups, which are not tenants. */
const SHARED_TENANTS = new Set(['common', 'organizations', 'consumers'])

/** Claims about the token rather than the user, and claims stored elsewhere. */
const NOT_CUSTOM = new Set(
  'aud iss iat nbf exp c_hash at_hash aio nonce rh uti jti ver sub name preferred_username'.split(' '),
)

/** @see Microsoft documentation, "OpenID Connect on the Microsoft identity platform", "ID token claims reference" */
export const azure: BuiltInProvider = (settings, discover) => {
  const base = settings.url ?? COMMON
  const network = createProviderNetwork(base)
  const ownIssuer = `${base}/v2.0`
  const tenant = TENANT_ISSUER.exec(ownIssuer)?.[1]
  const takesAnyTenant = tenant !== undefined && SHARED_TENANTS.has(tenant.toLowerCase())
  return {
    ...settings,
    network,
    scopes: ['openid', 'email', 'profile'],
    parameters: {},
    usesPkce: true,
    clientAuthentication: 'post',
    readServer: async () => ({
      issuer: ownIssuer,
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
    }),
    async findIssuer(claimed) {
      const claimedTenant = TENANT_ISSUER.exec(claimed)?.[1]
      const isTenant = claimedTenant !== undefined && !SHARED_TENANTS.has(claimedTenant.toLowerCase())
      if (takesAnyTenant ? !isTenant : claimed !== ownIssuer) return undefined
      const { jwks_uri: jwksUri = '' } = await discover(network, claimed)
      return { issuer: claimed, jwksUri }
    },
    async readProfile({ idToken }) {
      const claims = requireRecord(idToken)
      const subject = requireSubject(claims['sub'])
      return {
        subject,
        emails: toProviderEmails([{ email: claims['email'], verified: isEmailVerified(claims), primary: true }]),
        claims: {
          iss: textOf(claims['iss']),
          preferred_username: textOf(claims['preferred_username']),
          full_name: textOf(claims['name']),
          provider_id: subject,
          custom_claims: Object.fromEntries(Object.entries(claims).filter(([key]) => !NOT_CUSTOM.has(key))),
        },
      }
    },
  }
}

/**
 * `xms_edov` says whether the tenant owns the domain of the address. Without it, Microsoft sends unverified addresses only to
 * single-tenant apps, whose owner writes those addresses. As in GoTrue.
 *
 * @see Microsoft documentation, "Migrate away from using email claims for user identification or authorization"
 */
function isEmailVerified(claims: JsonObject): boolean {
  const ownsDomain = claims['xms_edov']
  return (
    ownsDomain === undefined || ownsDomain === true || ownsDomain === '1' || ownsDomain === 'true' || ownsDomain === 1
  )
}
