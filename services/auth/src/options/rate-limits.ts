import type { OptionDeclarations } from '@holdfast/foundation'

/** What one address may do. 0 stands for no limit. */
export const rateLimitOptions = {
  rateLimitEmailSent: {
    type: 'integer',
    default: 30,
    min: 0,
    max: 1000000,
    description: 'Requests for a mail from one address in an hour; 0 for no limit.',
  },
  rateLimitSmsSent: {
    type: 'integer',
    default: 30,
    min: 0,
    max: 1000000,
    description: 'Requests for a text message from one address in an hour; 0 for no limit.',
  },
  rateLimitAnonymousUsers: {
    type: 'integer',
    default: 30,
    min: 0,
    max: 1000000,
    description: 'Anonymous sign-ins from one address in an hour; 0 for no limit.',
  },
  rateLimitTokenRefresh: {
    type: 'integer',
    default: 150,
    min: 0,
    max: 1000000,
    description: 'Refreshes of one session, and refused ones from one address, in five minutes; 0 for no limit.',
  },
  rateLimitSignInSignUps: {
    type: 'integer',
    default: 30,
    min: 0,
    max: 1000000,
    description: 'Sign-ins and sign-ups from one address in five minutes; 0 for no limit.',
  },
  rateLimitTokenVerifications: {
    type: 'integer',
    default: 30,
    min: 0,
    max: 1000000,
    description: 'Codes and links tried from one address in five minutes; 0 for no limit.',
  },
  rateLimitLoopbackExempt: {
    type: 'boolean',
    default: true,
    description:
      'Whether requests from this machine are not counted while the sample runs and nothing shows that a proxy is in front.',
  },
} satisfies OptionDeclarations
