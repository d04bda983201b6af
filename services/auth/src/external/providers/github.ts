import { toProviderEmails } from '../profile.ts'
import type { BuiltInProvider } from '../provider.ts'
import { createProviderNetwork } from '../provider-network.ts'
import { requireRecord, requireRecords, requireSubject, textOf } from '../read-json.ts'

/** @see GitHub documentation, "Authorizing OAuth apps", "REST API endpoints for emails" */
export const github: BuiltInProvider = (settings) => {
  const host = settings.url ?? 'https://github.com'
  const api = settings.url === undefined ? 'https://api.github.com' : `${settings.url}/api/v3`
  const network = createProviderNetwork(host)
  return {
    ...settings,
    network,
    scopes: ['user:email'],
    parameters: {},
    usesPkce: true,
    clientAuthentication: 'post',
    readServer: async () => ({
      issuer: host,
      authorization_endpoint: `${host}/login/oauth/authorize`,
      token_endpoint: `${host}/login/oauth/access_token`,
    }),
    async readProfile({ accessToken }) {
      const [user, emails] = await Promise.all([
        network.getJson(`${api}/user`, accessToken).then(requireRecord),
        network.getJson(`${api}/user/emails`, accessToken).then(requireRecords),
      ])
      const subject = requireSubject(user['id'])
      const login = textOf(user['login'])
      return {
        subject,
        emails: toProviderEmails(
          emails.map((entry) => ({
            email: entry['email'],
            verified: entry['verified'] === true,
            primary: entry['primary'] === true,
          })),
        ),
        claims: {
          iss: api,
          name: textOf(user['name']),
          full_name: textOf(user['name']),
          preferred_username: login,
          user_name: login,
          avatar_url: textOf(user['avatar_url']),
          provider_id: subject,
        },
      }
    },
  }
}
