import type { AuthorizationServer } from 'oauth4webapi'
import type { ProviderGrant } from './provider.ts'
import type { ProviderNetwork } from './provider-network.ts'
import { type JsonObject, requireRecord } from './read-json.ts'

/**
 * What an OpenID provider says about a person: the ID token, and the userinfo endpoint where the token does not name an address.
 * Many providers tell addresses only there.
 *
 * @param input.always - whether userinfo is asked even when the token says enough
 * @throws {Error} when userinfo speaks of another person
 * @see OpenID Connect Core 1.0, section 5.3.2
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
