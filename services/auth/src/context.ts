import type { Clock, Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import type { AuthOptions } from './options/auth-options.ts'
import type { PasswordHasher } from './passwords/password-hasher.ts'
import type { RateLimiter } from './rate-limits.ts'
import type { SigningKeys } from './tokens/signing-keys.ts'

/** What every part of the service is handed: made once in `openAuth`. */
export interface AuthContext {
  /** Connected as the owner of schema `auth`: this service is its own authority. */
  readonly pool: Pool
  readonly options: AuthOptions
  readonly clock: Clock
  readonly logger: Logger
  readonly keys: SigningKeys
  readonly passwords: PasswordHasher
  readonly signInLimiter: RateLimiter
  readonly refreshLimiter: RateLimiter
  /** The `iss` of every access token. */
  readonly issuer: string
}
