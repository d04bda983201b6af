import { HoldfastError } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's.

export function webAuthnChallengeNotFound(): HoldfastError {
  return new HoldfastError('webauthn_challenge_not_found', 400, 'Challenge not found or already used')
}

export function webAuthnChallengeExpired(): HoldfastError {
  return new HoldfastError('webauthn_challenge_expired', 400, 'Challenge has expired')
}

/** The reason stays in `cause`: it helps only who forges. */
export function webAuthnVerificationFailed(cause: unknown): HoldfastError {
  return new HoldfastError('webauthn_verification_failed', 400, 'Credential verification failed', { cause })
}

export function webAuthnCredentialExists(): HoldfastError {
  return new HoldfastError('webauthn_credential_exists', 422, 'This credential is already registered')
}
