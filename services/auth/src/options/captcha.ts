import { flag, type OptionDeclarations, text } from '@holdfast/foundation'

/** A captcha before sign-in, sign-up and mails. */
export const captchaOptions = {
  captchaEnabled: flag('Whether sign-in, sign-up and mails require a captcha.', { default: false }),
  captchaProvider: text('Captcha provider: hcaptcha or turnstile.', { default: 'turnstile' }),
  captchaSecret: text('Secret at the captcha provider.', { secret: true }),
  captchaSiteKey: text('Public site key at the captcha provider, with which the app shows the captcha.'),
  captchaUrl: text('Verification URL. Default: the provider’s.'),
} satisfies OptionDeclarations
