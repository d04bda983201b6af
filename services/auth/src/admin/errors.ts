import { HoldfastError } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's, where it has one: an administrator's scripts read them.

/** The token is genuine, but its role does not administrate. */
export function userNotAllowed(): HoldfastError {
  return new HoldfastError('not_admin', 403, 'User not allowed')
}

/** @param name - the part of the address that should have been one */
export function notAUuid(name: 'user_id' | 'factor_id' | 'session_id'): HoldfastError {
  return new HoldfastError('validation_failed', 404, `${name} must be an UUID`)
}

export function noSuchUser(message = 'User not found'): HoldfastError {
  return new HoldfastError('user_not_found', 404, message)
}

export function factorNotFound(): HoldfastError {
  return new HoldfastError('mfa_factor_not_found', 404, 'Factor not found')
}

export function factorNameConflict(): HoldfastError {
  return new HoldfastError('mfa_factor_name_conflict', 422, 'A factor with this name exists already for this user')
}

export function passkeyNotFound(): HoldfastError {
  return new HoldfastError('validation_failed', 404, 'Passkey not found')
}

/** An administrator gave a number that a person has. Worded differently from what people themselves are told. */
export function phoneTaken(): HoldfastError {
  return new HoldfastError('phone_exists', 422, 'Phone number already registered by another user')
}

/** Something of the project refers to the account and does not let go: a foreign key, a trigger. */
export function deletingUserFailed(cause: unknown): HoldfastError {
  return new HoldfastError('unexpected_failure', 500, 'Database error deleting user', {
    cause,
    hint: 'A foreign key or a trigger of the project keeps the account. Delete what refers to it first, or delete softly.',
  })
}

/** A trigger or a constraint of the project refused the change. */
export function changingUserFailed(cause: unknown): HoldfastError {
  return new HoldfastError('unexpected_failure', 500, 'Error updating user', { cause })
}
