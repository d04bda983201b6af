import { entityTooLarge, invalidRequest } from '../errors.ts'
import { USER_METADATA_BYTES_MAX, USER_METADATA_DEPTH_MAX } from '../limits.ts'

export type UserMetadata = Readonly<Record<string, unknown>>

/** What a client keeps with an object, as a header has it: JSON in base64. */
export function parseMetadataHeader(header: string | readonly string[] | undefined): UserMetadata | undefined {
  return typeof header === 'string' ? parseMetadata(Buffer.from(header, 'base64').toString('utf8')) : undefined
}

/**
 * Reads metadata from JSON. A value that is no object counts as none, as with Supabase.
 *
 * @throws {HoldfastError} `EntityTooLarge`, `InvalidRequest` when it is nested too deeply
 */
export function parseMetadata(text: string | undefined): UserMetadata | undefined {
  if (text === undefined || text === '') return undefined
  if (Buffer.byteLength(text) > USER_METADATA_BYTES_MAX) throw entityTooLarge('user_metadata')
  if (isDeeperThan(text, USER_METADATA_DEPTH_MAX)) throw invalidRequest('The user_metadata is nested too deeply')
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as UserMetadata) : undefined
  } catch {
    return undefined
  }
}

/** Looks at the text: what was parsed could not be rendered again, nor read by Postgres. */
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
