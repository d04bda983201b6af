import type { OptionDeclarations } from '@holdfast/foundation'

/** A captcha before sign-in, sign-up and mails. */
export const captchaOptions = {
  captchaEnabled: {
    type: 'boolean',
    default: false,
    description: 'Whether sign-in, sign-up and mails need a captcha.',
  },
  captchaProvider: {
    type: 'string',
    default: 'turnstile',
    description: 'Who judges captchas: hcaptcha or turnstile.',
  },
  captchaSecret: {
    type: 'string',
    secret: true,
    description: 'The secret at the provider of captchas.',
  },
  captchaUrl: {
    type: 'string',
    description: 'The address that judges captchas. Default: that of the provider.',
  },
} satisfies OptionDeclarations
