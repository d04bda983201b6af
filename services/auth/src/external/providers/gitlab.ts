import { toProviderEmails } from '../profile.ts'
import type { BuiltInProvider } from '../provider.ts'
import { createProviderNetwork } from '../provider-network.ts'
import { requireRecord, requireRecords, requireSubject, textOf } from '../read-json.ts'

/** @see GitLab documentation, "OAuth 2.0 identity provider API", "Users API" */
export const gitlab: BuiltInProvider = (settings) => {
  const host = settings.url ?? 'https://gitlab.com'
  const network = createProviderNetwork(host)
  return {
    ...settings,
    network,
    scopes: ['read_user'],
    parameters: {},
    usesPkce: true,
    clientAuthentication: 'post',
    readServer: async () => ({
      issuer: host,
      authorization_endpoint: `${host}/oauth/authorize`,
      token_endpoint: `${host}/oauth/token`,
    }),
    async readProfile({ accessToken }) {
      const [user, others] = await Promise.all([
        network.getJson(`${host}/api/v4/user`, accessToken).then(requireRecord),
        network.getJson(`${host}/api/v4/user/emails`, accessToken).then(requireRecords),
      ])
      const subject = requireSubject(user['id'])
      const isConfirmed = typeof user['confirmed_at'] === 'string' && user['confirmed_at'] !== ''
      return {
        subject,
        emails: toProviderEmails([
          // GitLab does not report whether these are confirmed.
          ...others.map((entry) => ({ email: entry['email'], verified: false, primary: false })),
          { email: user['email'], verified: isConfirmed, primary: true },
        ]),
        claims: {
          iss: host,
          name: textOf(user['name']),
          full_name: textOf(user['name']),
          picture: textOf(user['avatar_url']),
          avatar_url: textOf(user['avatar_url']),
          provider_id: subject,
        },
      }
    },
  }
}
