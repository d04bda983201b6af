import { readClaims, readOidcClaims } from '../claims-profile.ts'
import { unsupportedProvider } from '../errors.ts'
import { createProviderNetwork } from '../provider-network.ts'
import type { BuiltInProvider } from '../provider.ts'

const NOT_CUSTOM = new Set(
  'name sub email email_verified iss aud azp iat exp nbf jti typ nonce at_hash acr auth_time sid session_state'.split(
    ' ',
  ),
)

/** The configured URL is that of a realm: `https://host/realms/name`. */
export const keycloak: BuiltInProvider = (settings, discover) => {
  const issuer = settings.url
  if (issuer === undefined) throw unsupportedProvider('unable to find URL for the Keycloak provider')
  const network = createProviderNetwork(issuer)
  const readServer = () => discover(network, issuer)
  return {
    ...settings,
    network,
    scopes: ['openid', 'profile', 'email'],
    parameters: {},
    usesPkce: true,
    clientAuthentication: 'post',
    readServer,
    async findIssuer(claimed) {
      if (claimed !== issuer) return undefined
      const { jwks_uri: jwksUri = '' } = await readServer()
      return { issuer, jwksUri }
    },
    async readProfile(grant) {
      const raw = await readOidcClaims({ server: await readServer(), network, grant, always: true })
      const profile = readClaims(raw)
      const custom = Object.fromEntries(Object.entries(raw).filter(([key]) => !NOT_CUSTOM.has(key)))
      return { ...profile, claims: { ...profile.claims, iss: issuer, custom_claims: custom } }
    },
  }
}
