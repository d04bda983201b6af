import { isTrue } from '../claims-profile.ts'
import { toProviderEmails } from '../profile.ts'
import type { BuiltInProvider } from '../provider.ts'
import { createProviderNetwork } from '../provider-network.ts'
import { requireRecord, requireSubject, textOf } from '../read-json.ts'

/** @see Google documentation, "OpenID Connect" */
export const google: BuiltInProvider = (settings, discover) => {
  const issuer = settings.url ?? 'https://accounts.google.com'
  const network = createProviderNetwork(issuer)
  return {
    ...settings,
    network,
    scopes: ['openid', 'email', 'profile'],
    parameters: {},
    usesPkce: true,
    clientAuthentication: 'post',
    readServer: () => discover(network, issuer),
    async findIssuer(claimed) {
      // Google's older tokens omit the scheme in the issuer.
      if (claimed !== issuer && `https://${claimed}` !== issuer) return undefined
      const { jwks_uri: jwksUri = '' } = await discover(network, issuer)
      return { issuer: claimed, jwksUri }
    },
    async readProfile({ idToken }) {
      const claims = requireRecord(idToken)
      const subject = requireSubject(claims['sub'])
      const hostedDomain = textOf(claims['hd'])
      return {
        subject,
        emails: toProviderEmails([
          { email: claims['email'], verified: isTrue(claims['email_verified']), primary: true },
        ]),
        claims: {
          iss: issuer,
          name: textOf(claims['name']),
          full_name: textOf(claims['name']),
          picture: textOf(claims['picture']),
          avatar_url: textOf(claims['picture']),
          provider_id: subject,
          custom_claims: hostedDomain === undefined ? {} : { hd: hostedDomain },
        },
      }
    },
  }
}
