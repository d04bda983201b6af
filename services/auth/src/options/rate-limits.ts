import { flag, integer, type OptionDeclarations } from '@holdfast/foundation'

/** Rate limits per address. 0 for unlimited. */
export const rateLimitOptions = {
  rateLimitEmailSent: integer('Mail requests per address and hour; 0 for no limit.', {
    default: 30,
    min: 0,
    max: 1000000,
  }),
  rateLimitSmsSent: integer('Text message requests per address and hour; 0 for no limit.', {
    default: 30,
    min: 0,
    max: 1000000,
  }),
  rateLimitAnonymousUsers: integer('Anonymous sign-ins per address and hour; 0 for no limit.', {
    default: 30,
    min: 0,
    max: 1000000,
  }),
  rateLimitTokenRefresh: integer(
    'Refreshes per session, and refused ones per address, in five minutes; 0 for no limit.',
    { default: 150, min: 0, max: 1000000 },
  ),
  rateLimitSignInSignUps: integer('Sign-ins and sign-ups per address in five minutes; 0 for no limit.', {
    default: 30,
    min: 0,
    max: 1000000,
  }),
  rateLimitTokenVerifications: integer('Code and link attempts per address in five minutes; 0 for no limit.', {
    default: 30,
    min: 0,
    max: 1000000,
  }),
  rateLimitLoopbackExempt: flag(
    'Whether requests from this machine are exempt while the sample runs without a visible proxy.',
    { default: true },
  ),
} satisfies OptionDeclarations
