import { Type, type TSchema } from 'typebox'
import { HoldfastError } from '@holdfast/foundation'
import { numberTooLarge, unstorableText } from './errors.ts'

// GoTrue reads bodies as Go does: a field that is missing, `null` or of its type; others are ignored.

/** A field of a body that may be left out or `null`. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

export const OptionalText = optional(Type.String())

export const OptionalRecord = optional(Type.Record(Type.String(), Type.Unknown()))

export const OptionalFlag = optional(Type.Boolean())

/** Fields of a PKCE client in a body. */
export const CodeChallengeFields = { code_challenge: OptionalText, code_challenge_method: OptionalText }

/** Where clients put the answer of a captcha. */
export const MetaSecurity = optional(Type.Object({ captcha_token: OptionalText }))

/** Half of a character beyond `\uffff`. A client that cuts a text in the middle of an emoji sends one, and bytes of UTF-8 have none. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/** A number that may be larger than a double-precision one, which is what GoTrue stores as well. */
const LARGE = /\d[eE]\+?\d|\d{309}/

/**
 * Parses the body of a request.
 *
 * @returns `undefined` for an empty one: auth-js names JSON as the type of bodies that it leaves out
 * @throws {HoldfastError} `bad_json`, also for a number that would become infinite; `validation_failed` for half a character, which Postgres stores in no text
 */
export function parseJsonBody(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text, SURROGATE.test(text) || LARGE.test(text) ? requireStorable : undefined)
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    throw new HoldfastError('bad_json', 400, 'Could not parse request body as JSON', { cause: error })
  }
}

function requireStorable(key: string, value: unknown): unknown {
  if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) throw unstorableText()
  if (typeof value === 'number' && !Number.isFinite(value)) throw numberTooLarge()
  return value
}
