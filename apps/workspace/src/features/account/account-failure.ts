import { AuthApiError, AuthRetryableFetchError, AuthSessionMissingError, isAuthError } from '@supabase/supabase-js'
import { accountErrorMessages, accountFailureWords as words } from '../../messages/account-errors.ts'

/** Why an account change failed, in words that say what to do. */
export interface AccountFailure {
  /** The auth server's code, or one of the app's own with the prefix `HF-`. */
  readonly code: string
  readonly message: string
  /** Shown in the details, for errors whose message says little. */
  readonly technical?: string
  /** Only for `weak_password`: `length`, `characters`, `pwned`. */
  readonly reasons?: readonly string[]
}

/** Describes an error of `supabase.auth` or of the browser's WebAuthn. */
export function describeAccountError(error: unknown): AccountFailure {
  if (error instanceof AuthRetryableFetchError || error instanceof TypeError) {
    return { code: 'HF-NET-UNREACHABLE', message: words.unreachable, technical: error.message }
  }
  if (error instanceof AuthSessionMissingError) return { code: 'session_not_found', message: words.sessionGone }
  const ceremony = webAuthnFailure(error)
  if (ceremony) return ceremony
  const code = (isAuthError(error) ? error.code : undefined) ?? 'HF-APP-UNEXPECTED'
  const reasons = reasonsOf(error)
  const status = error instanceof AuthApiError ? error.status : undefined
  const technical = error instanceof Error ? `${status ?? ''} ${error.name}: ${error.message}`.trim() : String(error)
  const known = accountErrorMessages[code]
  if (known !== undefined) return { code, message: known }
  if (status === 429) return { code, message: accountErrorMessages['over_request_rate_limit'] ?? words.unexpected }
  const message = status !== undefined && status >= 500 ? words.serverFault : words.unexpected
  return { code, message, technical, ...(reasons === undefined ? {} : { reasons }) }
}

/** Returns the code of an auth error, for errors that a screen handles itself. */
export function codeOf(error: unknown): string | undefined {
  return isAuthError(error) ? error.code : undefined
}

/** Describes a WebAuthn error. The browser names its errors; the client library wraps them in `WebAuthnError`. */
function webAuthnFailure(error: unknown): AccountFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const code: unknown = 'code' in error ? error.code : undefined
  const cause = error.cause instanceof Error ? error.cause.name : undefined
  const names = [error.name, cause]
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' || names.includes('InvalidStateError')) {
    return { code: 'HF-PASSKEY-REGISTERED', message: words.registered }
  }
  if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID' || names.includes('SecurityError')) {
    return { code: 'HF-PASSKEY-DOMAIN', message: words.wrongDomain, technical: error.message }
  }
  if (code === 'ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT') {
    return { code: 'HF-PASSKEY-VERIFICATION', message: words.noUserVerification }
  }
  if (code === 'ERROR_CEREMONY_ABORTED' || names.includes('NotAllowedError') || names.includes('AbortError')) {
    return { code: 'HF-PASSKEY-CANCELLED', message: words.cancelled }
  }
  return undefined
}

function reasonsOf(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Error) || !('reasons' in error) || !Array.isArray(error.reasons)) return undefined
  return error.reasons.filter((reason) => typeof reason === 'string')
}
