import type { OptionDeclarations } from '@holdfast/foundation'

/** How long people stay signed in. */
export const sessionOptions = {
  jwtExpiry: {
    type: 'integer',
    default: 3600,
    min: 60,
    max: 604800,
    description:
      'How long an access token is valid, in seconds. Policies see a change of role or metadata only after this.',
  },
  signingKeysPath: {
    type: 'string',
    description:
      'A file with the private keys that sign access tokens, an array of JWKs (ES256 or RS256) as `supabase gen signing-key` writes it. The first one signs. Default: a key that is made at the first start and kept in the database.',
  },
  enableRefreshTokenRotation: {
    type: 'boolean',
    default: true,
    description: 'Whether a refresh token is used once only. Without it one token lives as long as its session.',
  },
  refreshTokenReuseInterval: {
    type: 'integer',
    default: 10,
    min: 0,
    max: 300,
    description:
      'How long a used refresh token still gives the session its newest one, in seconds, so that two tabs may refresh at once.',
  },
  sessionsTimebox: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 315360000,
    description: 'How long a session lasts at most, in seconds; 0 for no end.',
  },
  sessionsInactivityTimeout: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 315360000,
    description: 'How long a session lasts without being refreshed, in seconds; 0 for no end.',
  },
  sessionsSinglePerUser: {
    type: 'boolean',
    default: false,
    description: 'Whether signing in ends the other sessions of a person when they next refresh.',
  },
} satisfies OptionDeclarations
