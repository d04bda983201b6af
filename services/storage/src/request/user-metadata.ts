import { entityTooLarge } from '../errors.ts'
import { USER_METADATA_BYTES_MAX } from '../limits.ts'

export type UserMetadata = Readonly<Record<string, unknown>>

/** What a client keeps with an object, as a header has it: JSON in base64. */
export function parseMetadataHeader(header: string | readonly string[] | undefined): UserMetadata | undefined {
  return typeof header === 'string' ? parseMetadata(Buffer.from(header, 'base64').toString('utf8')) : undefined
}

/**
 * Reads metadata from JSON. A value that is no object counts as none, as with Supabase.
 *
 * @throws {HoldfastError} `EntityTooLarge`
 */
export function parseMetadata(text: string | undefined): UserMetadata | undefined {
  if (text === undefined || text === '') return undefined
  if (Buffer.byteLength(text) > USER_METADATA_BYTES_MAX) throw entityTooLarge('user_metadata')
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as UserMetadata) : undefined
  } catch {
    return undefined
  }
}
