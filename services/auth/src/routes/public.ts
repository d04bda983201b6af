import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Pool, sql } from '@holdfast/postgres'
import { listEnabledCustomProviders } from '../external/custom/custom-provider-row.ts'
import type { Providers } from '../external/providers.ts'
import { JWKS_MAX_AGE_S } from '../limits.ts'
import type { WithOptions } from '../options/auth-options.ts'
import { PROVIDER_NAMES } from '../options/providers.ts'
import { hasPasskeys, type RequirePasskeysNeeds } from '../passkeys/require-passkeys.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'

type Needs = RequirePasskeysNeeds &
  WithOptions<
    | 'emailEnableConfirmations'
    | 'emailEnableSignup'
    | 'enableAnonymousSignIns'
    | 'enableSignup'
    | 'smsEnableConfirmations'
    | 'smsEnableSignup'
    | 'smsTwilioAccountSid'
    | 'smsTwilioVerifyAccountSid'
  > & { readonly pool: Pool; readonly providers: Providers }

/** Providers in GoTrue's settings that this server does not support. */
const OTHER_PROVIDERS = [
  'bitbucket',
  'facebook',
  'figma',
  'fly',
  'kakao',
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

/**
 * `GET /settings`: the available ways to sign in. `custom_providers` is our addition: administrators' providers for a sign-in page.
 * Source: GoTrue API reference.
 */
export function settingsRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, options, providers } = needs
  return async (app) => {
    app.get('/settings', async () => ({
      external: {
        anonymous_users: options.enableAnonymousSignIns,
        ...Object.fromEntries(OTHER_PROVIDERS.map((name) => [name, false])),
        ...Object.fromEntries(PROVIDER_NAMES.map((name) => [name, providers.enabled.has(name)])),
        email: options.emailEnableSignup,
        phone: options.smsEnableSignup,
      },
      disable_signup: !options.enableSignup,
      mailer_autoconfirm: !options.emailEnableConfirmations,
      phone_autoconfirm: !options.smsEnableConfirmations,
      sms_provider: options.smsTwilioAccountSid ? 'twilio' : options.smsTwilioVerifyAccountSid ? 'twilio_verify' : '',
      saml_enabled: false,
      saml_private_key_next_configured: false,
      passkeys_enabled: hasPasskeys(needs),
      custom_providers: await listEnabledCustomProviders(pool),
    }))
  }
}

/** `GET /health`: succeeds if the database responds. */
export function healthRoute({ pool }: { readonly pool: Pool }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/health', async () => {
      await pool.execute(sql`select 1`)
      return { name: 'Holdfast Auth', description: 'User registration and authentication, compatible with GoTrue' }
    })
  }
}

/** `GET /.well-known/jwks.json`: the public keys that verify access tokens. */
export function jwksRoute({ keys }: { readonly keys: SigningKeys }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/.well-known/jwks.json', async (_request, reply) => {
      void reply.header('cache-control', `public, max-age=${JWKS_MAX_AGE_S}`)
      return keys.jwks
    })
  }
}
