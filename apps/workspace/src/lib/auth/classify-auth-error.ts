import type { CannotUnlock } from '@holdfast/client'
import { errorMessage } from '@holdfast/protocol'
import {
  AuthApiError,
  isAuthError,
  isAuthPKCECodeVerifierMissingError,
  isAuthRetryableFetchError,
  isAuthSessionMissingError,
} from '@supabase/supabase-js'
import { errorMessages as words } from '../../messages/errors.ts'

/** Why signing in failed, and how the form reacts. */
export type AuthFailure =
  /** Shown at the password field: password or email is wrong. */
  | { readonly kind: 'password'; readonly code: string; readonly message: string }
  /** The email is unconfirmed; the form leads to the code. */
  | { readonly kind: 'unconfirmed'; readonly code: string; readonly message: string }
  /** Shown at the code field, which is cleared. */
  | { readonly kind: 'code'; readonly code: string; readonly message: string }
  /** Shown at the field for a new password. */
  | { readonly kind: 'new_password'; readonly code: string; readonly reason: 'weak' | 'same' | 'pwned' }
  /** The button waits this many seconds. */
  | { readonly kind: 'rate'; readonly code: string; readonly waitS: number }
  /** The session lacks its second factor. */
  | { readonly kind: 'second_factor'; readonly code: string; readonly message: string }
  /** The link was requested in another browser. */
  | { readonly kind: 'other_browser'; readonly code: string; readonly message: string }
  /** The user cancelled the browser's dialog; not shown as an error. */
  | { readonly kind: 'cancelled'; readonly code: string; readonly message: string }
  | { readonly kind: 'form'; readonly code: string; readonly message: string; readonly technical?: string }

const RATE_WAIT_S = 60

type Text = { [Key in keyof typeof words]: (typeof words)[Key] extends string ? Key : never }[keyof typeof words]
type Known = readonly [kind: AuthFailure['kind'], code: string, text: Text]

/** By server code. @see the error catalogue, "Sign-in" */
const KNOWN: Readonly<Record<string, Known>> = {
  invalid_credentials: ['password', 'HF-AUTH-BADLOGIN', 'badLogin'],
  email_not_confirmed: ['unconfirmed', 'HF-AUTH-UNCONFIRMED', 'unconfirmed'],
  phone_not_confirmed: ['unconfirmed', 'HF-AUTH-UNCONFIRMED', 'unconfirmedPhone'],
  otp_expired: ['code', 'HF-AUTH-OTP', 'badCode'],
  mfa_verification_failed: ['code', 'HF-AUTH-MFA-CODE', 'badFactorCode'],
  mfa_verification_rejected: ['code', 'HF-AUTH-MFA-CODE', 'badFactorCode'],
  mfa_challenge_expired: ['code', 'HF-AUTH-MFA-TIME', 'factorTooLate'],
  mfa_ip_address_mismatch: ['code', 'HF-AUTH-MFA-TIME', 'factorTooLate'],
  mfa_factor_not_found: ['form', 'HF-AUTH-MFA-GONE', 'factorGone'],
  mfa_totp_verify_not_enabled: ['form', 'HF-AUTH-PROVIDER', 'factorOff'],
  mfa_phone_verify_not_enabled: ['form', 'HF-AUTH-PROVIDER', 'factorOff'],
  mfa_webauthn_verify_not_enabled: ['form', 'HF-AUTH-WEBAUTHN', 'factorOff'],
  mfa_recovery_codes_verify_not_enabled: ['form', 'HF-AUTH-PROVIDER', 'factorOff'],
  insufficient_aal: ['second_factor', 'HF-AUTH-AAL', 'needsSecondFactor'],
  user_banned: ['form', 'HF-AUTH-BANNED', 'banned'],
  user_already_exists: ['form', 'HF-AUTH-EXISTS', 'exists'],
  account_exists: ['form', 'HF-AUTH-EXISTS', 'exists'],
  email_exists: ['form', 'HF-AUTH-EXISTS', 'exists'],
  phone_exists: ['form', 'HF-AUTH-EXISTS', 'exists'],
  email_address_invalid: ['form', 'HF-AUTH-ADDRESS', 'badAddress'],
  validation_failed: ['form', 'HF-AUTH-ADDRESS', 'badAddress'],
  email_address_not_authorized: ['form', 'HF-AUTH-ADDRESS', 'addressRefused'],
  captcha_failed: ['form', 'HF-AUTH-CAPTCHA', 'captcha'],
  signup_disabled: ['form', 'HF-AUTH-PROVIDER', 'signUpOff'],
  sms_send_failed: ['form', 'HF-AUTH-SMS', 'smsFailed'],
  flow_state_not_found: ['other_browser', 'HF-AUTH-FLOW', 'otherBrowser'],
  flow_state_expired: ['other_browser', 'HF-AUTH-FLOW', 'otherBrowser'],
  bad_code_verifier: ['other_browser', 'HF-AUTH-FLOW', 'otherBrowser'],
  identity_already_exists: ['form', 'HF-AUTH-LINK', 'identityTaken'],
  webauthn_challenge_expired: ['cancelled', 'HF-AUTH-WEBAUTHN', 'passkeyTooLate'],
  webauthn_challenge_not_found: ['cancelled', 'HF-AUTH-WEBAUTHN', 'passkeyTooLate'],
  webauthn_credential_not_found: ['form', 'HF-AUTH-WEBAUTHN', 'passkeyUnknown'],
  owner_key_invalid: ['form', 'HF-AUTH-OWNER', 'ownerKeyInvalid'],
  already_set_up: ['form', 'HF-AUTH-OWNER', 'alreadySetUp'],
  too_many_workspaces: ['form', 'HF-AUTH-WORKSPACE', 'tooManyWorkspaces'],
  workspaces_by_invitation: ['form', 'HF-AUTH-WORKSPACE', 'workspacesByInvitation'],
  account_not_suitable: ['form', 'HF-AUTH-WORKSPACE', 'accountUnconfirmed'],
  webauthn_verification_failed: ['form', 'HF-AUTH-WEBAUTHN', 'passkeyUnknown'],
}
const OFF = new Set([
  'provider_disabled',
  'oauth_provider_not_supported',
  'email_provider_disabled',
  'phone_provider_disabled',
  'otp_disabled',
  'anonymous_provider_disabled',
  'passkey_disabled',
])

/**
 * Converts an error of auth client or browser to the app's wording.
 *
 * @see the error catalogue, "Sign-in"
 */
export function classifyAuthError(error: unknown, projectName: string): AuthFailure {
  if (isAuthRetryableFetchError(error) || error instanceof TypeError) {
    const technical = error.message
    return { kind: 'form', code: 'HF-NET-UNREACHABLE', message: words.unreachable(projectName), technical }
  }
  // By name, because the class is loaded with the lock.
  if (error instanceof Error && error.name === 'CannotUnlock') return classifyUnlocking(error as CannotUnlock)
  const browser = classifyCeremony(error)
  if (browser) return browser
  if (isAuthPKCECodeVerifierMissingError(error)) {
    return { kind: 'other_browser', code: 'HF-AUTH-FLOW', message: words.otherBrowser }
  }
  if (isAuthSessionMissingError(error)) return { kind: 'form', code: 'HF-AUTH-EXPIRED', message: words.sessionOver }
  const code = isAuthError(error) ? error.code : undefined
  const status = error instanceof AuthApiError ? error.status : undefined
  const text = errorMessage(error)
  if (code === 'weak_password') {
    const isLeaked = (error as { readonly reasons?: readonly string[] }).reasons?.includes('pwned') ?? false
    return { kind: 'new_password', code: 'HF-AUTH-WEAK', reason: isLeaked ? 'pwned' : 'weak' }
  }
  if (code === 'same_password') return { kind: 'new_password', code: 'HF-AUTH-SAMEPW', reason: 'same' }
  if (status === 429 || code?.startsWith('over_') === true) {
    return { kind: 'rate', code: 'HF-AUTH-RATE', waitS: Number(/after (\d+) second/.exec(text)?.[1] ?? RATE_WAIT_S) }
  }
  const technical = `${status ?? ''} ${code ?? ''} ${text}`.trim()
  const known = code === undefined ? undefined : KNOWN[code]
  if (known) {
    const [kind, appCode, key] = known
    return { kind, code: appCode, message: words[key], ...(kind === 'form' ? { technical } : {}) } as AuthFailure
  }
  if (code !== undefined && OFF.has(code)) return { kind: 'form', code: 'HF-AUTH-PROVIDER', message: words.providerOff }
  if (code === 'session_not_found' || code === 'session_expired' || code === 'user_not_found') {
    return { kind: 'form', code: 'HF-AUTH-EXPIRED', message: words.sessionOver }
  }
  if (status !== undefined && status >= 500) {
    return { kind: 'form', code: 'HF-AUTH-HOOK', message: words.hook, technical }
  }
  return { kind: 'form', code: 'HF-AUTH-UNKNOWN', message: words.unexpectedSignIn, technical }
}

const UNLOCKING = { wrong_password: 'unlockWrong', no_password: 'unlockNoPassword', no_key: 'unlockNoKey' } as const

function classifyUnlocking({ reason, seconds }: CannotUnlock): AuthFailure {
  if (reason === 'too_many') return { kind: 'rate', code: 'HF-AUTH-RATE', waitS: seconds }
  return { kind: 'password', code: 'HF-AUTH-UNLOCK', message: words[UNLOCKING[reason]] }
}

/** Classifies errors of the browser's dialog for passkeys and security keys. */
function classifyCeremony(error: unknown): AuthFailure | undefined {
  if (!(error instanceof Error) || isAuthError(error)) return undefined
  switch (error.name) {
    case 'NotAllowedError':
    case 'AbortError':
      return { kind: 'cancelled', code: 'HF-AUTH-WEBAUTHN', message: words.passkeyCancelled }
    case 'InvalidStateError':
      return { kind: 'form', code: 'HF-AUTH-WEBAUTHN', message: words.passkeyHere, technical: error.message }
    case 'SecurityError':
      return { kind: 'form', code: 'HF-AUTH-WEBAUTHN', message: words.passkeyPlace, technical: error.message }
    default:
      return undefined
  }
}
