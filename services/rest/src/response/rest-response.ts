import { FRAMING_HEADERS } from '../query/render-answer-settings.ts'

export interface RestResponse {
  readonly status: number
  /** Reason phrase, if a function set one. */
  readonly statusText?: string | undefined
  /** Lowercase names. */
  readonly headers: Readonly<Record<string, string | string[]>>
  /** Empty for no body. */
  readonly body: string | Buffer
}

/**
 * Converts a header set by SQL to Node's format: lowercase name, value as UTF-8 bytes.
 *
 * @returns `undefined` for a name that is not a token, a value with control characters, or a header that frames the message
 * @see RFC 9110, sections 5.1 and 5.5
 */
export function toResponseHeader(name: string, value: string): readonly [name: string, value: string] | undefined {
  const lower = name.toLowerCase()
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || FRAMING_HEADERS.has(lower)) return undefined
  const bytes = Buffer.from(value).toString('latin1')
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(bytes) ? [lower, bytes] : undefined
}
