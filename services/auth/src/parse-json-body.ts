import { HoldfastError } from '@holdfast/foundation'
import { unstorableText } from './errors.ts'

/** Half of a character beyond `\uffff`. A client that cuts a text in the middle of an emoji sends one, and bytes of UTF-8 have none. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/**
 * Parses the body of a request.
 *
 * @returns `undefined` for an empty one: auth-js names JSON as the type of bodies that it leaves out
 * @throws {HoldfastError} `bad_json`; `validation_failed` for half a character, which Postgres stores in no text
 */
export function parseJsonBody(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text, SURROGATE.test(text) ? requireWhole : undefined)
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    throw new HoldfastError('bad_json', 400, 'Could not parse request body as JSON', { cause: error })
  }
}

function requireWhole(key: string, value: unknown): unknown {
  if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) throw unstorableText()
  return value
}
