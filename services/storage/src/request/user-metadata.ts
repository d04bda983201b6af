import { parseRecord } from '@holdfast/foundation'
import { entityTooLarge, invalidRequest } from '../errors.ts'
import { USER_METADATA_BYTES_MAX, USER_METADATA_DEPTH_MAX } from '../limits.ts'

export type UserMetadata = Readonly<Record<string, unknown>>

/** Parses user metadata from a header: JSON in base64. */
export function parseMetadataHeader(header: string | readonly string[] | undefined): UserMetadata | undefined {
  return typeof header === 'string' ? parseMetadata(Buffer.from(header, 'base64').toString('utf8')) : undefined
}

/**
 * Parses user metadata from JSON. Values other than objects count as absent, as in Supabase.
 *
 * @throws {HoldfastError} `EntityTooLarge`, `InvalidRequest` if nested too deeply
 */
export function parseMetadata(text: string | undefined): UserMetadata | undefined {
  if (text === undefined || text === '') return undefined
  if (Buffer.byteLength(text) > USER_METADATA_BYTES_MAX) throw entityTooLarge('user_metadata')
  if (isDeeperThan(text, USER_METADATA_DEPTH_MAX)) throw invalidRequest('The user_metadata is nested too deeply')
  return parseRecord(text)
}

/** Scans the text, because deeply nested values break JSON rendering and Postgres. */
function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isString && character === '\\') at++
    else if (character === '"') isString = !isString
    else if (isString) continue
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    if (depth > depthMax) return true
  }
  return false
}
