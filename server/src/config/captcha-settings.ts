import { HoldfastError } from '@holdfast/foundation'
import type { Config } from './options.ts'

export interface CaptchaSettings {
  /** What checks the answers of public forms that ask for it: the visitor's device, or a provider. */
  readonly ofForms: 'work' | 'hcaptcha' | 'turnstile'
  /** Whether the app shows a captcha when accounts require one. */
  readonly isShownAtSignIn: boolean
  /** The widget; `undefined` if nothing shows it. */
  readonly page: { readonly provider: 'hcaptcha' | 'turnstile'; readonly siteKey: string } | undefined
}

/**
 * Reads where captchas are shown.
 *
 * @throws {HoldfastError} `option_invalid` for a `formCaptcha` other than `work` and `provider`, and for a provider without its site key
 */
export function readCaptchaSettings(
  config: Pick<Config, 'captchaEnabled' | 'captchaProvider' | 'captchaSiteKey' | 'formCaptcha'>,
): CaptchaSettings {
  const { captchaEnabled, captchaProvider: provider, formCaptcha } = config
  const siteKey = config.captchaSiteKey?.trim() ?? ''
  if (formCaptcha !== 'work' && formCaptcha !== 'provider')
    throw invalid(`formCaptcha: ${formCaptcha} is neither work nor provider.`)
  if (formCaptcha === 'provider' && siteKey === '')
    throw invalid('formCaptcha: a provider needs captchaSiteKey and captchaSecret.')
  const isKnown = provider === 'hcaptcha' || provider === 'turnstile'
  if (!isKnown) {
    if (formCaptcha === 'provider') throw invalid(`captchaProvider: ${provider} is neither hcaptcha nor turnstile.`)
    return { ofForms: 'work', isShownAtSignIn: false, page: undefined }
  }
  const isShownAtSignIn = captchaEnabled && siteKey !== ''
  return {
    ofForms: formCaptcha === 'work' ? 'work' : provider,
    isShownAtSignIn,
    page: isShownAtSignIn || formCaptcha === 'provider' ? { provider, siteKey } : undefined,
  }
}

function invalid(message: string): HoldfastError {
  return new HoldfastError('option_invalid', 500, message)
}
