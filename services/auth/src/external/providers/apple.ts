import { isRecord } from '@holdfast/foundation'
import { isTrue } from '../claims-profile.ts'
import { toProviderEmails } from '../profile.ts'
import type { BuiltInProvider } from '../provider.ts'
import { createProviderNetwork, parseProviderJson } from '../provider-network.ts'
import { requireRecord, requireSubject, textOf } from '../read-json.ts'

/**
 * Apple sends its response as a POST, includes the user's name only in the first response and outside the ID token, and expects a
 * client secret that is a token signed by the project.
 *
 * @see Apple documentation, "Sign in with Apple REST API"
 */
export const apple: BuiltInProvider = (settings, discover) => {
  const issuer = settings.url ?? 'https://appleid.apple.com'
  const issuers = settings.url === undefined ? [issuer, 'https://account.apple.com'] : [issuer]
  const network = createProviderNetwork(issuer)
  return {
    ...settings,
    network,
    scopes: ['email', 'name'],
    parameters: { response_mode: 'form_post' },
    usesPkce: false,
    clientAuthentication: 'post',
    readServer: () => discover(network, issuer),
    async findIssuer(claimed) {
      if (!issuers.includes(claimed)) return undefined
      const { jwks_uri: jwksUri = '' } = await discover(network, issuer)
      return { issuer: claimed, jwksUri }
    },
    async readProfile({ idToken, callback }) {
      const claims = requireRecord(idToken)
      const subject = requireSubject(claims['sub'])
      const isPrivate = claims['is_private_email']
      // Apple verifies every address; an explicit `false` is honoured.
      const verified = claims['email_verified'] === undefined || isTrue(claims['email_verified'])
      const name = readName(callback.get('user'))
      return {
        subject,
        emails: toProviderEmails([{ email: claims['email'], verified, primary: true }]),
        claims: {
          iss: textOf(claims['iss']),
          name,
          full_name: name,
          provider_id: subject,
          custom_claims: {
            ...(isPrivate === undefined ? {} : { is_private_email: isTrue(isPrivate) }),
            ...(typeof claims['auth_time'] === 'number' ? { auth_time: claims['auth_time'] } : {}),
            ...(typeof claims['transfer_sub'] === 'string' ? { transfer_sub: claims['transfer_sub'] } : {}),
          },
        },
      }
    },
  }
}

/** @param text - `{"name":{"firstName":"…","lastName":"…"},"email":"…"}`; the email in it is unsigned, so it is ignored */
function readName(text: string | null): string | undefined {
  if (text === null || text === '') return undefined
  const user = parseProviderJson(text)
  const name = isRecord(user) && isRecord(user['name']) ? user['name'] : {}
  return [textOf(name['firstName']), textOf(name['lastName'])].filter(Boolean).join(' ').trim()
}
