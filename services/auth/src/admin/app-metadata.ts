import { validationFailed } from '../errors.ts'
import { APP_METADATA_BYTES_MAX } from '../limits.ts'
import type { UserMetadata } from '../users/user-metadata.ts'

/**
 * Changes what only administrators change: top-level keys are replaced, a key that is `null` goes away.
 *
 * @throws {HoldfastError} `validation_failed` when the result is larger than an access token can carry
 */
export function mergeAppMetadata(current: UserMetadata | null, changes: UserMetadata): UserMetadata {
  const merged = Object.fromEntries(
    Object.entries({ ...current, ...changes }).filter(([, value]) => value !== null && value !== undefined),
  )
  if (Buffer.byteLength(JSON.stringify(merged)) > APP_METADATA_BYTES_MAX) {
    throw validationFailed(`App metadata cannot be larger than ${APP_METADATA_BYTES_MAX} bytes`)
  }
  return merged
}
