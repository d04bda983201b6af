import { validationFailed } from '../errors.ts'
import { USER_METADATA_BYTES_MAX } from '../limits.ts'

export type UserMetadata = Readonly<Record<string, unknown>>

/**
 * Changes metadata as GoTrue does: top-level keys are replaced, a key that is `null` goes away.
 *
 * @throws {HoldfastError} `validation_failed` when the result is larger than an access token can carry
 */
export function mergeMetadata(current: UserMetadata | null, changes: UserMetadata): UserMetadata {
  const merged = Object.fromEntries(
    Object.entries({ ...current, ...changes }).filter(([, value]) => value !== null && value !== undefined),
  )
  if (Buffer.byteLength(JSON.stringify(merged)) > USER_METADATA_BYTES_MAX) {
    throw validationFailed(`User metadata cannot be larger than ${USER_METADATA_BYTES_MAX} bytes`)
  }
  return merged
}
