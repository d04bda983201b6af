import { flag, integer, type OptionDeclarations } from '@holdfast/foundation'

/** Rate limits per address. 0 for unlimited. */
export const rateLimitOptions = {
  rateLimitEmailSent: integer('Requests for a mail from one address in an hour; 0 for no limit.', {
    default: 30,
    min: 0,
    max: 1000000,
  }),
  rateLimitSmsSent: integer('Requests for a text message from one address in an hour; 0 for no limit.', {
    default: 30,
    min: 0,
    max: 1000000,
  }),
  rateLimitAnonymousUsers: integer('Anonymous sign-ins from one address in an hour; 0 for no limit.', {
    default: 30,
    min: 0,
    max: 1000000,
  }),
  rateLimitTokenRefresh: integer(
    'Refreshes of one session, and refused ones from one address, in five minutes; 0 for no limit.',
    { default: 150, min: 0, max: 1000000 },
  ),
  rateLimitSignInSignUps: integer('Sign-ins and sign-ups from one address in five minutes; 0 for no limit.', {
    default: 30,
    min: 0,
    max: 1000000,
  }),
  rateLimitTokenVerifications: integer('Codes and links tried from one address in five minutes; 0 for no limit.', {
    default: 30,
    min: 0,
    max: 1000000,
  }),
  rateLimitLoopbackExempt: flag(
    'Whether requests from this machine are not counted while the sample runs and nothing shows that a proxy is in front.',
    { default: true },
  ),
} satisfies OptionDeclarations
