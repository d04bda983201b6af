import { HoldfastError, refusal } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's.

const FACTOR_NAMES = {
  totp: ['totp', 'TOTP'],
  phone: ['phone', 'Phone'],
  webauthn: ['webauthn', 'WebAuthn'],
  recovery_code: ['recovery_codes', 'recovery codes'],
} as const

export type FactorType = keyof typeof FACTOR_NAMES
export const anonymousNotAllowed = refusal(
  'no_authorization',
  403,
  'Anonymous user not allowed to perform these actions',
)

export function enrollDisabled(type: FactorType): HoldfastError {
  const [word, name] = FACTOR_NAMES[type]
  return new HoldfastError(`mfa_${word}_enroll_not_enabled`, 422, `MFA enroll is disabled for ${name}`)
}

export function verifyDisabled(type: FactorType): HoldfastError {
  const [word, name] = FACTOR_NAMES[type]
  return new HoldfastError(`mfa_${word}_verify_not_enabled`, 422, `MFA verification is disabled for ${name}`)
}

export function factorNameConflict(name: string): HoldfastError {
  const message = `A factor with the friendly name ${JSON.stringify(name)} for this user already exists`
  return new HoldfastError('mfa_factor_name_conflict', 422, message)
}

export function tooManyFactors(): HoldfastError {
  const message = 'Maximum number of verified factors reached, unenroll to continue'
  return new HoldfastError('too_many_enrolled_mfa_factors', 422, message)
}

export function verifiedPhoneFactorExists(): HoldfastError {
  const message = 'A verified phone factor already exists, unenroll the existing factor to continue'
  return new HoldfastError('mfa_verified_factor_exists', 422, message)
}

export const aal2ToEnroll = refusal('insufficient_aal', 403, 'AAL2 required to enroll a new factor')
export const aal2ToUnenroll = refusal('insufficient_aal', 422, 'AAL2 required to unenroll verified factor')
export const factorNotFound = refusal('mfa_factor_not_found', 404, 'Factor not found')
export const challengeNotFound = refusal(
  'mfa_factor_not_found',
  422,
  'MFA factor with the provided challenge ID not found',
)
/** The challenge came from another address or was already answered. GoTrue uses the same error for both. */
export const challengeNotYours = refusal('mfa_ip_address_mismatch', 422, 'Challenge and verify IP addresses mismatch.')

export function challengeExpired(challengeId: string): HoldfastError {
  const message = `MFA challenge ${challengeId} has expired, verify against another challenge or create a new challenge.`
  return new HoldfastError('mfa_challenge_expired', 422, message)
}

export function verificationFailed(type: FactorType): HoldfastError {
  const messages = {
    totp: 'Invalid TOTP code entered',
    phone: 'Invalid MFA Phone code entered',
    webauthn: 'Invalid WebAuthn response',
    recovery_code: 'Invalid recovery code entered',
  } as const
  return new HoldfastError('mfa_verification_failed', 422, messages[type])
}

/** @param retryAfterS - seconds until the next attempt is accepted */
export const tooManyAttempts = (retryAfterS: number): HoldfastError =>
  new HoldfastError('over_request_rate_limit', 429, 'Too many wrong answers for this factor', {
    hint: 'Wait, or use another factor.',
    headers: { 'retry-after': String(retryAfterS) },
  })

export function recoveryCodesExist(): HoldfastError {
  const message = 'Recovery codes exist already, regenerate them to get new ones'
  return new HoldfastError('mfa_verified_factor_exists', 422, message)
}

/** Recovery codes replace another factor, so there must be one. */
export function soleFactor(): HoldfastError {
  const message = 'Recovery codes need another verified factor'
  return new HoldfastError('mfa_recovery_codes_sole_factor', 422, message)
}

export const aal2ForRecoveryCodes = refusal('insufficient_aal', 403, 'AAL2 required to manage recovery codes')
/** @param retryAfterS - seconds until the next code is accepted */
export const recoveryCodesLocked = (retryAfterS: number): HoldfastError =>
  new HoldfastError('mfa_recovery_codes_locked', 429, 'Too many wrong recovery codes', {
    hint: 'Wait, or use another factor.',
    headers: { 'retry-after': String(retryAfterS) },
  })
