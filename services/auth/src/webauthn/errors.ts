import { HoldfastError, refusal } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's.

export const webAuthnChallengeNotFound = refusal(
  'webauthn_challenge_not_found',
  400,
  'Challenge not found or already used',
)
export const webAuthnChallengeExpired = refusal('webauthn_challenge_expired', 400, 'Challenge has expired')
/** The reason stays in `cause`, because it would only help forgers. */
export const webAuthnVerificationFailed = (cause: unknown): HoldfastError =>
  new HoldfastError('webauthn_verification_failed', 400, 'Credential verification failed', { cause })
export const webAuthnCredentialExists = refusal(
  'webauthn_credential_exists',
  422,
  'This credential is already registered',
)
