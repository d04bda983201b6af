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

/** Every setting of this service. A name is the path in Supabase's `config.toml` in camel case, where that file has one. */
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

/** The settings of these names, for what needs no others. */
export interface WithOptions<Name extends keyof AuthOptions> {
  readonly options: Pick<AuthOptions, Name>
}

/** The declared defaults, for whoever sets only a few. */
export function defaultAuthOptions(): AuthOptions {
  const values = Object.entries(authOptions).map(([name, declaration]) => [
    name,
    'default' in declaration ? declaration.default : undefined,
  ])
  return Object.fromEntries(values) as unknown as AuthOptions
}
