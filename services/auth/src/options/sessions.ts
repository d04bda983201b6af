import { flag, integer, type OptionDeclarations, text } from '@holdfast/foundation'

/** Lifetimes of tokens and sessions. */
export const sessionOptions = {
  jwtExpiry: integer(
    'Lifetime of an access token in seconds. Policies see changes of role or metadata only in the next token.',
    { default: 3600, min: 60, max: 604800 },
  ),
  signingKeysPath: text(
    'File with the private keys for access tokens: an array of JWKs (ES256 or RS256), as written by `supabase gen signing-key`. The first one signs. Default: a key created at the first start, in the database.',
  ),
  enableRefreshTokenRotation: flag(
    'Whether a refresh token can be used only once. Otherwise it lives as long as its session.',
    { default: true },
  ),
  refreshTokenReuseInterval: integer(
    'Seconds for which a used refresh token still returns the newest one, so that two tabs can refresh at once.',
    { default: 10, min: 0, max: 300 },
  ),
  sessionsTimebox: integer('Maximum session lifetime in seconds; 0 for none.', {
    default: 0,
    min: 0,
    max: 315360000,
  }),
  sessionsInactivityTimeout: integer('Maximum seconds between refreshes of a session; 0 for none.', {
    default: 0,
    min: 0,
    max: 315360000,
  }),
  sessionsSinglePerUser: flag('Whether signing in ends the user’s other sessions at their next refresh.', {
    default: false,
  }),
} satisfies OptionDeclarations
