import { validationFailed } from '../errors.ts'
import { APP_METADATA_BYTES_MAX, USER_METADATA_BYTES_MAX } from '../limits.ts'

export type UserMetadata = Readonly<Record<string, unknown>>

/**
 * Merges changes into metadata like GoTrue: replaces top-level keys and removes those set to `null`.
 *
 * @throws {HoldfastError} `validation_failed` if the result is too large for an access token
 */
export function mergeMetadata(current: UserMetadata | null, changes: UserMetadata): UserMetadata {
  return merge('User', USER_METADATA_BYTES_MAX, current, changes)
}

/** Like {@link mergeMetadata}, for metadata that only administrators change. */
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
