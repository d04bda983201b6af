/** The GoTrue API: accounts, sessions and tokens. */
export { openAuth, type AuthService, type OpenAuthOptions } from './auth.ts'
export { authOptions, defaultAuthOptions, type AuthOptions } from './options/auth-options.ts'
export { authMigrations } from './migrations.ts'
export { hashPassword } from './passwords/password-hasher.ts'
export type { ApiKeyRole } from './tokens/api-keys.ts'
export type { AccessTokenClaims, AuthenticationMethod, TokenClaims } from './tokens/claims.ts'
export type { Jwks } from './tokens/signing-keys.ts'
export type { VerifyToken } from './tokens/verify-token.ts'
