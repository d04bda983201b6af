import { HoldfastError, refusal } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's.

export const manualLinkingDisabled = refusal('manual_linking_disabled', 404, 'Manual linking is disabled')

/** @param whose - whether the identity belongs to the linking user or another one */
export function identityAlreadyExists(whose: 'same' | 'another'): HoldfastError {
  const suffix = whose === 'same' ? '' : ' to another user'
  return new HoldfastError('identity_already_exists', 422, `Identity is already linked${suffix}`)
}

export const identityIdInvalid = refusal('validation_failed', 404, 'identity_id must be an UUID')
export const singleIdentityNotDeletable = refusal(
  'single_identity_not_deletable',
  422,
  'User must have at least 1 identity after unlinking',
)
export const identityNotFound = refusal('identity_not_found', 422, "Identity doesn't exist")
/** The user would need the address of another identity, but every one of those belongs to another user. */
export const emailConflictIdentityNotDeletable = refusal(
  'email_conflict_identity_not_deletable',
  422,
  'Unable to unlink identity due to email conflict',
)
