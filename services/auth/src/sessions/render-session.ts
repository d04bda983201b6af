import type { WeakPasswordError } from '../errors.ts'
import type { AccessToken } from '../tokens/issue-tokens.ts'
import { renderUser } from '../users/render-user.ts'
import type { UserRow } from '../users/user-row.ts'

/** A person who is signed in, with what their client needs to stay so. */
export interface SignedIn {
  readonly user: UserRow
  readonly access: AccessToken
  readonly refreshToken: string
  /** Set when the password that was just used breaks today's rules. */
  readonly weakPassword?: WeakPasswordError | undefined
}

/** As auth-js's type `Session` has it. */
export function renderSession(signedIn: SignedIn): Record<string, unknown> {
  const { access, weakPassword } = signedIn
  return {
    access_token: access.accessToken,
    token_type: 'bearer',
    expires_in: access.expiresInS,
    expires_at: access.expiresAtS,
    refresh_token: signedIn.refreshToken,
    user: renderUser(signedIn.user),
    ...(weakPassword ? { weak_password: { message: weakPassword.message, reasons: weakPassword.reasons } } : {}),
  }
}
