import { Type, type TSchema } from 'typebox'
import { HoldfastError } from '@holdfast/foundation'
import { numberTooLarge, unstorableText } from './errors.ts'

// GoTrue reads bodies like Go: a field is missing, `null` or of its type; other fields are ignored.

/** A body field that may be missing or `null`. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

export const OptionalText = optional(Type.String())

export const OptionalRecord = optional(Type.Record(Type.String(), Type.Unknown()))

export const OptionalFlag = optional(Type.Boolean())

/** Fields of a PKCE client in a body. */
export const CodeChallengeFields = { code_challenge: OptionalText, code_challenge_method: OptionalText }

/** Location of a captcha response in a body. */
export const MetaSecurity = optional(Type.Object({ captcha_token: OptionalText }))

/** An escaped surrogate. A lone one, which no UTF-8 can express, comes from a client that truncates text inside an emoji. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/** A number that may exceed the range of a double, which is what GoTrue stores too. */
const LARGE = /\d[eE]\+?\d|\d{309}/

/**
 * Parses a request body.
 *
 * @returns `undefined` for an empty one, because auth-js sends the JSON content type even without a body
 * @throws {HoldfastError} `bad_json`, also for a number out of range; `validation_failed` for a lone surrogate, which Postgres cannot store
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
