import { HoldfastError } from '@holdfast/foundation'

/** @param reason - of the provider, or that there was nothing to judge */
export function captchaFailed(reason: string): HoldfastError {
  return new HoldfastError('captcha_failed', 400, `captcha protection: request disallowed (${reason})`)
}

/** The provider could not be asked. The request is refused. */
export function captchaUnavailable(cause: unknown): HoldfastError {
  return new HoldfastError('unexpected_failure', 500, 'captcha verification process failed', { cause })
}
