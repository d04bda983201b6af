import type { OptionValues } from '@holdfast/foundation'
import { captchaOptions } from './captcha.ts'
import { emailNotificationOptions } from './email-notifications.ts'
import { emailOptions } from './email.ts'
import { hookOptions } from './hooks.ts'
import { mfaOptions } from './mfa.ts'
import { oauthServerOptions } from './oauth-server.ts'
import { passwordOptions } from './passwords.ts'
import { providerOptions } from './providers.ts'
import { rateLimitOptions } from './rate-limits.ts'
import { sessionOptions } from './sessions.ts'
import { signInOptions } from './sign-in.ts'
import { smsOptions } from './sms.ts'
import { thirdPartyOptions } from './third-party.ts'

/** All settings of this service. Names are the camel-case paths of Supabase's `config.toml` where it has the setting. */
export const authOptions = {
  ...signInOptions,
  ...sessionOptions,
  ...passwordOptions,
  ...emailOptions,
  ...emailNotificationOptions,
  ...smsOptions,
  ...mfaOptions,
  ...providerOptions,
  ...hookOptions,
  ...rateLimitOptions,
  ...captchaOptions,
  ...oauthServerOptions,
  ...thirdPartyOptions,
}

export type AuthOptions = OptionValues<typeof authOptions>

/** A subset of the settings. */
export interface WithOptions<Name extends keyof AuthOptions> {
  readonly options: Pick<AuthOptions, Name>
}

/** Returns the declared defaults, for callers that set only a few. */
export function defaultAuthOptions(): AuthOptions {
  const values = Object.entries(authOptions).map(([name, declaration]) => [
    name,
    'default' in declaration ? declaration.default : undefined,
  ])
  return Object.fromEntries(values) as unknown as AuthOptions
}
