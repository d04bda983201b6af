import type { JsonObject } from '@holdfast/foundation'
import { toProviderEmails } from '../profile.ts'
import type { BuiltInProvider } from '../provider.ts'
import { createProviderNetwork } from '../provider-network.ts'
import { requireRecord, requireSubject, textOf } from '../read-json.ts'

const CDN = 'https://cdn.discordapp.com'

/** @see Discord documentation, "OAuth2", "Get Current User", "Image Formatting" */
export const discord: BuiltInProvider = (settings) => {
  const host = settings.url ?? 'https://discord.com'
  const api = `${host}/api`
  const network = createProviderNetwork(host)
  return {
    ...settings,
    network,
    scopes: ['email', 'identify'],
    parameters: {},
    usesPkce: true,
    clientAuthentication: 'post',
    readServer: async () => ({
      issuer: host,
      authorization_endpoint: `${api}/oauth2/authorize`,
      token_endpoint: `${api}/oauth2/token`,
    }),
    async readProfile({ accessToken }) {
      const user = requireRecord(await network.getJson(`${api}/users/@me`, accessToken))
      const subject = requireSubject(user['id'])
      const username = textOf(user['username']) ?? ''
      const avatar = avatarOf(subject, user)
      return {
        subject,
        emails: toProviderEmails([{ email: user['email'], verified: user['verified'] === true, primary: true }]),
        claims: {
          iss: api,
          name: `${username}#${textOf(user['discriminator']) ?? '0'}`,
          full_name: username,
          picture: avatar,
          avatar_url: avatar,
          provider_id: subject,
          custom_claims: { global_name: textOf(user['global_name']) ?? '' },
        },
      }
    },
  }
}

function avatarOf(id: string, user: JsonObject): string {
  const hash = textOf(user['avatar']) ?? ''
  if (hash !== '') return `${CDN}/avatars/${id}/${hash}.${hash.startsWith('a_') ? 'gif' : 'png'}`
  const discriminator = Number(textOf(user['discriminator']) ?? '0')
  return `${CDN}/embed/avatars/${Number.isInteger(discriminator) ? discriminator % 5 : 0}.png`
}
