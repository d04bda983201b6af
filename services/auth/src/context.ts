import type { Clock, Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import type { Captcha } from './captcha/captcha.ts'
import type { Providers } from './external/providers.ts'
import type { Hooks } from './hooks/hooks.ts'
import type { Turns } from './hooks/take-turns.ts'
import type { Messages } from './messages/messages.ts'
import type { AuthOptions } from './options/auth-options.ts'
import type { LeakedPasswords } from './passwords/leaked-passwords.ts'
import type { PasswordHasher } from './passwords/password-hasher.ts'
import type { RateLimits } from './rate-limits.ts'
import type { RedirectPolicy } from './redirects/redirect-policy.ts'
import type { Sealer } from './secrets/sealer.ts'
import type { SigningKeys } from './tokens/signing-keys.ts'
import type { RelyingParty } from './webauthn/relying-party.ts'

/** What every part of the service is handed: made once in `openAuth`. */
export interface AuthContext {
  /** Connected as the owner of schema `auth`: this service is its own authority. */
  readonly pool: Pool
  readonly options: AuthOptions
  readonly clock: Clock
  readonly logger: Logger
  readonly keys: SigningKeys
  readonly passwords: PasswordHasher
  readonly leakedPasswords: LeakedPasswords
  readonly limits: RateLimits
  readonly messages: Messages
  readonly hooks: Hooks
  /** For what may wait for a hook. */
  readonly turns: Turns
  readonly captcha: Captcha
  readonly redirects: RedirectPolicy
  /** The external providers that people may sign in with. */
  readonly providers: Providers
  /** For secrets of others that lie in the database. */
  readonly sealer: Sealer
  /** Whom passkeys are made for; `undefined` where no browser would make one. */
  readonly relyingParty: RelyingParty | undefined
  /** What another GoTrue encrypted secrets of factors with, by name. */
  readonly factorSecretKeys: ReadonlyMap<string, Buffer>
  /** The name of the project, as people read it. */
  readonly projectName: string
  /** The address of this API, and the `iss` of every access token: `https://host/auth/v1`. */
  readonly issuer: string
}
