import { AuthApiError, AuthRetryableFetchError, isAuthError } from '@supabase/supabase-js'
import { errorMessages } from '../../messages/errors.ts'

/** Why signing in did not work and what the form does about it. */
export type SignInFailure =
  | { readonly kind: 'password'; readonly code: string; readonly message: string }
  | { readonly kind: 'unconfirmed'; readonly code: string; readonly message: string }
  /** The button waits this long. */
  | { readonly kind: 'rate'; readonly code: string; readonly waitS: number }
  | { readonly kind: 'form'; readonly code: string; readonly message: string; readonly technical?: string }

const RATE_WAIT_S = 60
const PROVIDER_CODES = new Set(['provider_disabled', 'email_provider_disabled', 'signup_disabled', 'otp_disabled'])

/**
 * Puts the auth server's code into the app's words.
 *
 * @see the error catalogue, "Sign-in"
 */
export function classifySignInError(error: unknown, projectName: string): SignInFailure {
  if (error instanceof AuthRetryableFetchError || error instanceof TypeError) {
    return {
      kind: 'form',
      code: 'HF-NET-UNREACHABLE',
      message: errorMessages.unreachable(projectName),
      technical: error.message,
    }
  }
  const code = isAuthError(error) ? error.code : undefined
  const status = error instanceof AuthApiError ? error.status : undefined
  if (code === 'invalid_credentials')
    return { kind: 'password', code: 'HF-AUTH-BADLOGIN', message: errorMessages.badLogin }
  if (code === 'email_not_confirmed') {
    return { kind: 'unconfirmed', code: 'HF-AUTH-UNCONFIRMED', message: errorMessages.unconfirmed }
  }
  if (status === 429 || code === 'over_request_rate_limit')
    return { kind: 'rate', code: 'HF-AUTH-RATE', waitS: RATE_WAIT_S }
  if (code === 'user_banned') return { kind: 'form', code: 'HF-AUTH-BANNED', message: errorMessages.banned }
  if (code !== undefined && PROVIDER_CODES.has(code)) {
    return { kind: 'form', code: 'HF-AUTH-PROVIDER', message: errorMessages.providerOff }
  }
  const technical = error instanceof Error ? `${status ?? ''} ${code ?? ''} ${error.message}`.trim() : String(error)
  if (status !== undefined && status >= 500) {
    return { kind: 'form', code: 'HF-AUTH-HOOK', message: errorMessages.hook, technical }
  }
  return { kind: 'form', code: 'HF-AUTH-UNKNOWN', message: errorMessages.unexpectedSignIn, technical }
}
