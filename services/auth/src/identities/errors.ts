import { HoldfastError } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's.

export function manualLinkingDisabled(): HoldfastError {
  return new HoldfastError('manual_linking_disabled', 404, 'Manual linking is disabled')
}

/** @param whose - the identity belongs to the person who links it, or to another person */
export function identityAlreadyExists(whose: 'same' | 'another'): HoldfastError {
  const suffix = whose === 'same' ? '' : ' to another user'
  return new HoldfastError('identity_already_exists', 422, `Identity is already linked${suffix}`)
}

export function identityIdInvalid(): HoldfastError {
  return new HoldfastError('validation_failed', 404, 'identity_id must be an UUID')
}

export function singleIdentityNotDeletable(): HoldfastError {
  return new HoldfastError('single_identity_not_deletable', 422, 'User must have at least 1 identity after unlinking')
}

export function identityNotFound(): HoldfastError {
  return new HoldfastError('identity_not_found', 422, "Identity doesn't exist")
}

/** The address would have to become that of another identity, and every one of those is another person's. */
export function emailConflictIdentityNotDeletable(): HoldfastError {
  return new HoldfastError(
    'email_conflict_identity_not_deletable',
    422,
    'Unable to unlink identity due to email conflict',
  )
}
