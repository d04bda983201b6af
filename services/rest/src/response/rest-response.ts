import { FRAMING_HEADERS } from '../query/render-answer-settings.ts'

export interface RestResponse {
  readonly status: number
  /** The words after the status, when a function chose them. */
  readonly statusText?: string | undefined
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[]>>
  /** Empty for no body. */
  readonly body: string | Buffer
}

/**
 * A header that SQL sets, in the form in which Node sends it: the name in lower case, the value as the bytes of its UTF-8.
 *
 * @returns `undefined` for a pair that is no header: a name that is no token, control characters in the value, or one that frames the message
 * @see RFC 9110, sections 5.1 and 5.5
 */
export function toResponseHeader(name: string, value: string): readonly [name: string, value: string] | undefined {
  const lower = name.toLowerCase()
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || FRAMING_HEADERS.has(lower)) return undefined
  const bytes = Buffer.from(value).toString('latin1')
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(bytes) ? [lower, bytes] : undefined
}
