import { HoldfastError, refusal } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's.

export const passkeyDisabled = refusal('passkey_disabled', 404, 'Passkeys are disabled')
export const tooManyPasskeys = refusal('too_many_passkeys', 422, 'Maximum number of passkeys reached')
export const passkeyNotFound = refusal('validation_failed', 404, 'Passkey not found')

export function aal2ToManagePasskeys(): HoldfastError {
  const message = 'AAL2 session is required to manage passkeys when MFA is enabled'
  return new HoldfastError('insufficient_aal', 403, message)
}

/** The user authenticated but may not sign in. The status is 403, where a password sign-in returns 400. */
export function passkeySignInRefused(
  code: 'email_not_confirmed' | 'phone_not_confirmed' | 'user_banned',
): HoldfastError {
  const messages = {
    email_not_confirmed: 'Email not confirmed',
    phone_not_confirmed: 'Phone not confirmed',
    user_banned: 'User is banned',
  } as const
  return new HoldfastError(code, 403, messages[code])
}
