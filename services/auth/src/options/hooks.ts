import type { OptionDeclarations } from '@holdfast/foundation'

/** Functions and services of the project that are asked. */
export const hookOptions = {
  hookCustomAccessTokenUri: {
    type: 'string',
    description:
      'The hook that changes the claims of access tokens: `pg-functions://postgres/schema/function` or an https address.',
  },
  hookCustomAccessTokenSecrets: {
    type: 'string',
    secret: true,
    description: 'Signs requests to that hook: `v1,whsec_` and base64, several with `|` between.',
  },
  hookBeforeUserCreatedUri: {
    type: 'string',
    description:
      'The hook that may refuse a new account: `pg-functions://postgres/schema/function` or an https address.',
  },
  hookBeforeUserCreatedSecrets: {
    type: 'string',
    secret: true,
    description: 'Signs requests to that hook: `v1,whsec_` and base64, several with `|` between.',
  },
  hookPasswordVerificationAttemptUri: {
    type: 'string',
    description:
      'The hook that hears of every password that is tried: `pg-functions://postgres/schema/function` or an https address.',
  },
  hookPasswordVerificationAttemptSecrets: {
    type: 'string',
    secret: true,
    description: 'Signs requests to that hook: `v1,whsec_` and base64, several with `|` between.',
  },
  hookMfaVerificationAttemptUri: {
    type: 'string',
    description:
      'The hook that hears of every second factor that is tried: `pg-functions://postgres/schema/function` or an https address.',
  },
  hookMfaVerificationAttemptSecrets: {
    type: 'string',
    secret: true,
    description: 'Signs requests to that hook: `v1,whsec_` and base64, several with `|` between.',
  },
  hookSendEmailUri: {
    type: 'string',
    description:
      'The hook that sends mails instead of this server: `pg-functions://postgres/schema/function` or an https address.',
  },
  hookSendEmailSecrets: {
    type: 'string',
    secret: true,
    description: 'Signs requests to that hook: `v1,whsec_` and base64, several with `|` between.',
  },
  hookSendSmsUri: {
    type: 'string',
    description:
      'The hook that sends text messages instead of this server: `pg-functions://postgres/schema/function` or an https address.',
  },
  hookSendSmsSecrets: {
    type: 'string',
    secret: true,
    description: 'Signs requests to that hook: `v1,whsec_` and base64, several with `|` between.',
  },
} satisfies OptionDeclarations
