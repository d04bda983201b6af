import { flag, type OptionDeclarations, text } from '@holdfast/foundation'

/** A captcha before sign-in, sign-up and mails. */
export const captchaOptions = {
  captchaEnabled: flag('Whether sign-in, sign-up and mails need a captcha.', { default: false }),
  captchaProvider: text('Who judges captchas: hcaptcha or turnstile.', { default: 'turnstile' }),
  captchaSecret: text('The secret at the provider of captchas.', { secret: true }),
  captchaUrl: text('The address that judges captchas. Default: that of the provider.'),
} satisfies OptionDeclarations
