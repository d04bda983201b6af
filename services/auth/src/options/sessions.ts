import { flag, integer, type OptionDeclarations, text } from '@holdfast/foundation'

/** Lifetimes of tokens and sessions. */
export const sessionOptions = {
  jwtExpiry: integer(
    'How long an access token is valid, in seconds. Policies see a change of role or metadata only after this.',
    { default: 3600, min: 60, max: 604800 },
  ),
  signingKeysPath: text(
    'A file with the private keys that sign access tokens, an array of JWKs (ES256 or RS256) as `supabase gen signing-key` writes it. The first one signs. Default: a key that is made at the first start and kept in the database.',
  ),
  enableRefreshTokenRotation: flag(
    'Whether a refresh token is used once only. Without it one token lives as long as its session.',
    { default: true },
  ),
  refreshTokenReuseInterval: integer(
    'How long a used refresh token still gives the session its newest one, in seconds, so that two tabs may refresh at once.',
    { default: 10, min: 0, max: 300 },
  ),
  sessionsTimebox: integer('How long a session lasts at most, in seconds; 0 for no end.', {
    default: 0,
    min: 0,
    max: 315360000,
  }),
  sessionsInactivityTimeout: integer('How long a session lasts without being refreshed, in seconds; 0 for no end.', {
    default: 0,
    min: 0,
    max: 315360000,
  }),
  sessionsSinglePerUser: flag('Whether signing in ends the other sessions of a person when they next refresh.', {
    default: false,
  }),
} satisfies OptionDeclarations
