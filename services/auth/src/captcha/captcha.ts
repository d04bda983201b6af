import type { FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import { optionInvalid } from '../errors.ts'
import { CAPTCHA_TIMEOUT_MS } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { readLimitedJson } from '../read-limited.ts'

const PROVIDER_URLS: Readonly<Record<CaptchaProvider['name'], string>> = {
  hcaptcha: 'https://hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}

type CaptchaOptions = Pick<
  AuthOptions,
  'captchaEnabled' | 'captchaProvider' | 'captchaSecret' | 'captchaUrl' | 'jwtAdminRoles'
>

/** Checks the `captcha_token` of `gotrue_meta_security`. */
export interface Captcha {
  /**
   * Checks the captcha of a request. As in GoTrue, does nothing for administrators or with captchas off.
   *
   * Call it after the route's rate limit, because it sends a request to another server.
   *
   * @throws {HoldfastError} `captcha_failed` (400); `unexpected_failure` (500) if the provider is unreachable
   */
  require(request: FastifyRequest): Promise<void>
}

/** A service that knows whether a captcha was solved. */
export interface CaptchaProvider {
  readonly name: 'hcaptcha' | 'turnstile'
  /** Asks the provider about a response. @throws {Error} if it is unreachable, silent for ten seconds or answers something else */
  verify(response: string, address: string): Promise<CaptchaVerdict>
}

export interface CaptchaVerdict {
  readonly success: boolean
  /** Reasons in the provider's words. */
  readonly errorCodes: readonly string[]
}

/** @throws {HoldfastError} `option_invalid` for an unknown provider or a missing secret */
export function createCaptchaProvider(
  options: Pick<AuthOptions, 'captchaProvider' | 'captchaSecret' | 'captchaUrl'>,
  timeoutMs = CAPTCHA_TIMEOUT_MS,
): CaptchaProvider {
  const { captchaProvider: name } = options
  if (name !== 'hcaptcha' && name !== 'turnstile') {
    throw optionInvalid('captchaProvider', `${name} is neither hcaptcha nor turnstile.`)
  }
  const secret = options.captchaSecret?.trim()
  if (!secret) throw optionInvalid('captchaSecret', 'captchas need the secret of their provider.')
  const url = options.captchaUrl || PROVIDER_URLS[name]
  return { name, verify: (response, remoteip) => ask(url, { secret, response, remoteip }, timeoutMs) }
}

/** @throws {HoldfastError} `option_invalid` if captchas are enabled without a provider */
export function createCaptcha(options: CaptchaOptions): Captcha {
  if (!options.captchaEnabled) return { require: async () => undefined }
  const provider = createCaptchaProvider(options)
  return {
    async require(request) {
      const { role } = requireCaller(request).claims
      if (typeof role === 'string' && options.jwtAdminRoles.includes(role)) return
      const response = tokenOf(request).trim()
      if (response === '') throw captchaFailed('no captcha_token found')
      const verdict = await provider.verify(response, request.ip).catch((error: unknown) => {
        throw captchaUnavailable(error)
      })
      if (!verdict.success) throw captchaFailed(verdict.errorCodes.join(', '))
    },
  }
}

function tokenOf({ body }: FastifyRequest): string {
  const token = (body as Body | null | undefined)?.gotrue_meta_security?.captcha_token
  return typeof token === 'string' ? token : ''
}

interface Body {
  readonly gotrue_meta_security?: { readonly captcha_token?: unknown } | null
}

async function ask(url: string, form: Readonly<Record<string, string>>, timeoutMs: number): Promise<CaptchaVerdict> {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  const answer = (await readLimitedJson(response)) as { readonly success?: unknown; readonly 'error-codes'?: unknown }
  const codes = answer['error-codes']
  return { success: answer.success === true, errorCodes: Array.isArray(codes) ? codes.map(String) : [] }
}

/** @param reason - from the provider, or that the token is missing */
function captchaFailed(reason: string): HoldfastError {
  return new HoldfastError('captcha_failed', 400, `captcha protection: request disallowed (${reason})`)
}

/** The provider is unreachable, so the request is refused. */
function captchaUnavailable(cause: unknown): HoldfastError {
  return new HoldfastError('unexpected_failure', 500, 'captcha verification process failed', { cause })
}
