import { CAPTCHA_TIMEOUT_MS } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { optionInvalid } from '../options/option-invalid.ts'
import { readLimitedJson } from '../read-limited.ts'
import type { Captcha } from './captcha.ts'
import { captchaFailed, captchaUnavailable } from './errors.ts'

const PROVIDER_URLS: Readonly<Record<string, string>> = {
  hcaptcha: 'https://hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}

type CaptchaOptions = Pick<AuthOptions, 'captchaEnabled' | 'captchaProvider' | 'captchaSecret' | 'captchaUrl'>

/** @throws {HoldfastError} `option_invalid` when captchas are required and no provider is set */
export function createCaptcha(options: CaptchaOptions): Captcha {
  if (!options.captchaEnabled) return { isRequired: false, require: async () => undefined }
  const standardUrl = Object.hasOwn(PROVIDER_URLS, options.captchaProvider)
    ? PROVIDER_URLS[options.captchaProvider]
    : undefined
  if (standardUrl === undefined) {
    throw optionInvalid('captchaProvider', `${options.captchaProvider} is neither hcaptcha nor turnstile.`)
  }
  const secret = options.captchaSecret?.trim()
  if (!secret) throw optionInvalid('captchaSecret', 'captchas need the secret of their provider.')
  const url = options.captchaUrl || standardUrl

  return {
    isRequired: true,
    async require(token = '', address) {
      const response = token.trim()
      if (response === '') throw captchaFailed('no captcha_token found')
      const verdict = await ask(url, { secret, response, remoteip: address })
      if (!verdict.success) throw captchaFailed(verdict.errorCodes.join(', '))
    },
  }
}

interface Verdict {
  readonly success: boolean
  readonly errorCodes: readonly string[]
}

async function ask(url: string, form: Readonly<Record<string, string>>): Promise<Verdict> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'error',
      signal: AbortSignal.timeout(CAPTCHA_TIMEOUT_MS),
    })
    const answer = (await readLimitedJson(response)) as { readonly success?: unknown; readonly 'error-codes'?: unknown }
    const codes = answer['error-codes']
    return { success: answer.success === true, errorCodes: Array.isArray(codes) ? codes.map(String) : [] }
  } catch (error) {
    throw captchaUnavailable(error)
  }
}
