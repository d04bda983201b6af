import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AuthContext } from '../context.ts'
import { hasPasskeys } from '../passkeys/require-passkeys.ts'

/** The providers that GoTrue's settings name. None is built in yet. */
const PROVIDERS = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'kakao',
  'keycloak',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'slack',
  'slack_oidc',
  'snapchat',
  'spotify',
  'twitch',
  'twitter',
  'workos',
  'zoom',
]

/** `GET /settings`: which ways to sign in there are. Source: GoTrue API reference. */
export function settingsRoute(context: AuthContext): FastifyPluginAsyncTypebox {
  const { options } = context
  return async (app) => {
    app.get('/settings', async () => ({
      external: {
        anonymous_users: false,
        ...Object.fromEntries(PROVIDERS.map((provider) => [provider, false])),
        email: true,
        phone: options.smsEnableSignup,
      },
      disable_signup: !options.enableSignup,
      mailer_autoconfirm: !options.emailEnableConfirmations,
      phone_autoconfirm: options.smsEnableSignup,
      sms_provider: '',
      saml_enabled: false,
      passkeys_enabled: hasPasskeys(context),
    }))
  }
}
