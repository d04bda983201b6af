import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'

export const authOptions = {
  accessTokenLifetimeS: {
    type: 'integer',
    default: 3600,
    min: 60,
    max: 604_800,
    description:
      'How long an access token is valid, in seconds. Policies see a change of role or metadata only after this.',
  },
  refreshTokenReuseIntervalS: {
    type: 'integer',
    default: 10,
    min: 0,
    max: 300,
    description:
      'How long a used refresh token still gives the session its newest one, in seconds, so that two tabs may refresh at once.',
  },
  signUpEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether people may create their own account.',
  },
  emailAutoconfirm: {
    type: 'boolean',
    default: true,
    description:
      'Whether an e-mail address counts as confirmed at once. Without it an administrator confirms new accounts.',
  },
  phoneSignInEnabled: {
    type: 'boolean',
    default: false,
    description:
      'Whether people may sign up and in with a phone number and a password. Numbers count as confirmed at once.',
  },
  passwordLengthMin: {
    type: 'integer',
    default: 6,
    min: 6,
    max: 72,
    description: 'The shortest password that is accepted, in bytes.',
  },
  passwordHashCost: {
    type: 'integer',
    default: 10,
    min: 4,
    max: 14,
    description: 'The bcrypt cost of new password hashes; one more doubles the time of every sign-in.',
  },
  rateLimitSignIn: {
    type: 'integer',
    default: 30,
    min: 0,
    max: 1_000_000,
    description: 'Sign-ins and sign-ups that one address may try in five minutes; 0 for no limit.',
  },
  rateLimitTokenRefresh: {
    type: 'integer',
    default: 150,
    min: 0,
    max: 1_000_000,
    description: 'Refreshes that one address may try in five minutes; 0 for no limit.',
  },
  rateLimitLoopbackExempt: {
    type: 'boolean',
    default: true,
    description:
      'Whether requests from this machine are not counted. Turn it off behind a reverse proxy on the same machine that does not pass the address on.',
  },
} satisfies OptionDeclarations

export type AuthOptions = OptionValues<typeof authOptions>

/** The declared defaults, for whoever sets only a few. */
export function defaultAuthOptions(): AuthOptions {
  const values = Object.entries(authOptions).map(([name, declaration]) => [name, declaration.default])
  return Object.fromEntries(values) as unknown as AuthOptions
}
