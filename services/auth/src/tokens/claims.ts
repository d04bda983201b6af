/** Methods in `amr`, as spelled by GoTrue. */
export type AuthenticationMethodName =
  | 'oauth'
  | 'password'
  | 'otp'
  | 'totp'
  | 'recovery'
  | 'invite'
  | 'magiclink'
  | 'email/signup'
  | 'email_change'
  | 'token_refresh'
  | 'anonymous'
  | 'mfa/phone'
  | 'mfa/webauthn'
  | 'mfa/recovery_code'
  | 'oauth_provider/authorization_code'
  | 'passkey'

/** How and when (seconds since the epoch) a user authenticated. */
export interface AuthenticationMethod {
  readonly method: string
  readonly timestamp: number
}

/** Marks an operator's token, which stays valid independently of the user's sessions. */
export const INSPECTION_CLAIM = 'inspection'

/** The verified payload of a token, which policies read as `auth.jwt()`. */
export interface TokenClaims {
  readonly sub?: string
  readonly role?: string
  readonly exp?: number
  readonly iat?: number
  readonly session_id?: string
  readonly [claim: string]: unknown
}

/** The payload of our access tokens, in GoTrue's order. */
export interface AccessTokenClaims extends TokenClaims {
  readonly iss: string
  readonly sub: string
  readonly aud: string
  readonly exp: number
  readonly iat: number
  readonly email: string
  readonly phone: string
  readonly app_metadata: Readonly<Record<string, unknown>>
  readonly user_metadata: Readonly<Record<string, unknown>>
  readonly role: string
  readonly aal: string
  readonly amr: readonly AuthenticationMethod[]
  readonly session_id: string
  readonly is_anonymous: boolean
  /** The app the token was issued to and its scopes, if this server signed the user in to another app. */
  readonly client_id?: string
  readonly scope?: string
}
