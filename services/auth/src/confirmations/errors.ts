import { HoldfastError, refusal } from '@holdfast/foundation'
import { validationFailed } from '../errors.ts'

/** The code or link is unknown, used or expired; the error does not say which. */
export function otpExpired(presented: 'code' | 'link'): HoldfastError {
  const message = presented === 'code' ? 'Token has expired or is invalid' : 'Email link is invalid or has expired'
  return new HoldfastError('otp_expired', 403, message)
}

export const emailProviderDisabled = (action: 'signups' | 'logins', status: 400 | 422): HoldfastError =>
  new HoldfastError('email_provider_disabled', status, `Email ${action} are disabled`)
/** @param message - differs between the endpoints, as in GoTrue */
export const phoneFlowsDisabled = (
  message: 'Unsupported phone provider' | 'Phone logins are disabled',
): HoldfastError => new HoldfastError('phone_provider_disabled', 400, message)
/** There is no account, and the client asked not to create one. */
export const noSignUpsForOtp = refusal('otp_disabled', 422, 'Signups not allowed for otp')
export const unsupportedChannel = (): HoldfastError =>
  validationFailed(
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  )
export const emailNotVerifiedYet = refusal('email_not_confirmed', 422, 'Please verify your email first.')
export const phoneNotVerifiedYet = refusal('phone_not_confirmed', 422, 'Please verify your phone first.')
export const reauthenticationNeeded = refusal(
  'reauthentication_needed',
  400,
  'Password update requires reauthentication',
)
export const reauthenticationNotValid = refusal('reauthentication_not_valid', 422, 'Nonce has expired or is invalid')
export const currentPasswordRequired = refusal(
  'current_password_required',
  400,
  'Current password required when setting new password.',
)
export const currentPasswordInvalid = refusal(
  'current_password_invalid',
  400,
  'Current password required when setting new password.',
)
/** The link needs a PKCE flow, but the flow of the client that requested it no longer exists. */
export const noAssociatedFlow = refusal('flow_state_not_found', 400, 'No associated flow state found.')
