import { HoldfastError, refusal } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's where it has them, because administrators' scripts read them.

/** The token is valid, but its role is not an admin role. */
export const userNotAllowed = refusal('not_admin', 403, 'User not allowed')
/** @param name - the path parameter that is not a UUID */
export const notAUuid = (name: 'user_id' | 'factor_id' | 'session_id'): HoldfastError =>
  new HoldfastError('validation_failed', 404, `${name} must be an UUID`)
export const noSuchUser = (message = 'User not found'): HoldfastError =>
  new HoldfastError('user_not_found', 404, message)
export const factorNotFound = refusal('mfa_factor_not_found', 404, 'Factor not found')
export const factorNameConflict = refusal(
  'mfa_factor_name_conflict',
  422,
  'A factor with this name exists already for this user',
)
export const passkeyNotFound = refusal('validation_failed', 404, 'Passkey not found')
/** The number belongs to another user. The wording differs from the error that users see. */
export const phoneTaken = refusal('phone_exists', 422, 'Phone number already registered by another user')
/** A foreign key or trigger of the project prevents the deletion. */
export const deletingUserFailed = (cause: unknown): HoldfastError =>
  new HoldfastError('unexpected_failure', 500, 'Database error deleting user', {
    cause,
    hint: 'A foreign key or a trigger of the project keeps the account. Delete what refers to it first, or delete softly.',
  })
/** A trigger or constraint of the project rejected the change. */
export const changingUserFailed = (cause: unknown): HoldfastError =>
  new HoldfastError('unexpected_failure', 500, 'Error updating user', { cause })
