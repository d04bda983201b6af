import { HoldfastError } from '@holdfast/foundation'

/** The token is genuine, but its role does not administrate. */
export function userNotAllowed(): HoldfastError {
  return new HoldfastError('not_admin', 403, 'User not allowed')
}
