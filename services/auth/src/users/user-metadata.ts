import { validationFailed } from '../errors.ts'
import { APP_METADATA_BYTES_MAX, USER_METADATA_BYTES_MAX } from '../limits.ts'

export type UserMetadata = Readonly<Record<string, unknown>>

/**
 * Changes metadata as GoTrue does: top-level keys are replaced, a key that is `null` goes away.
 *
 * @throws {HoldfastError} `validation_failed` when the result is larger than an access token can carry
 */
export function mergeMetadata(current: UserMetadata | null, changes: UserMetadata): UserMetadata {
  return merge('User', USER_METADATA_BYTES_MAX, current, changes)
}

/** Does the same for what only administrators change. */
export function mergeAppMetadata(current: UserMetadata | null, changes: UserMetadata): UserMetadata {
  return merge('App', APP_METADATA_BYTES_MAX, current, changes)
}

function merge(whose: string, bytesMax: number, current: UserMetadata | null, changes: UserMetadata): UserMetadata {
  const merged = Object.fromEntries(
    Object.entries({ ...current, ...changes }).filter(([, value]) => value !== null && value !== undefined),
  )
  if (Buffer.byteLength(JSON.stringify(merged)) > bytesMax) {
    throw validationFailed(`${whose} metadata cannot be larger than ${bytesMax} bytes`)
  }
  return merged
}
