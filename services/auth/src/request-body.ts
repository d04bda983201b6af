import { Type, type TSchema } from 'typebox'

// GoTrue reads bodies as Go does: a field that is missing, `null` or of its type; others are ignored.

/** A field of a body that may be left out or `null`. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

export const OptionalText = optional(Type.String())

export const OptionalRecord = optional(Type.Record(Type.String(), Type.Unknown()))

export const OptionalFlag = optional(Type.Boolean())

/** Where clients put the answer of a captcha. */
export const MetaSecurity = optional(Type.Object({ captcha_token: OptionalText }))
