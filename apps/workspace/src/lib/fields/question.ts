import * as v from 'valibot'
import type { Field } from './field.ts'
import { choiceWords } from './format-value.ts'

/** Kinds of questions that visitors can answer. */
export const QUESTION_KINDS = [
  'text',
  'long_text',
  'email',
  'url',
  'phone',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'choice',
  'duration',
  'location',
  'files',
] as const

/** What a question for files takes. */
export const fileRulesSchema = v.object({
  max: v.number(),
  megabytes: v.number(),
  kinds: v.picklist(['any', 'photos']),
})
export type FileRules = v.InferOutput<typeof fileRulesSchema>

/** A signature is one picture of a few kilobytes. */
const SIGNATURE: FileRules = { max: 1, megabytes: 1, kinds: 'photos' }

/** A question of a public form, as published. */
export const questionSchema = v.object({
  field: v.string(),
  label: v.string(),
  help: v.fallback(v.string(), ''),
  kind: v.picklist(QUESTION_KINDS),
  isRequired: v.fallback(v.boolean(), false),
  choices: v.fallback(v.array(v.object({ value: v.string(), label: v.string() })), []),
  /** What a `duration` counts. */
  unit: v.optional(v.picklist(['minutes', 'seconds'])),
  /** Only of the kind `files`. */
  files: v.optional(fileRulesSchema),
  /** Whether the file is a signature. */
  isSignature: v.optional(v.boolean()),
})
export type Question = v.InferOutput<typeof questionSchema>

/** Returns the question that asks for a field; `undefined` for links and other values that visitors cannot enter. */
export function questionOf(field: Field, isRequired: boolean, files: FileRules): Question | undefined {
  const asked = { field: field.name, label: field.label, help: field.help ?? '', isRequired, choices: [] }
  const format = field.format?.format
  switch (format?.kind) {
    case 'attachment':
      return { ...asked, kind: 'files', files }
    case 'duration':
      return { ...asked, kind: 'duration', unit: format.unit }
    case 'location':
      return { ...asked, kind: 'location' }
    case 'signature':
      return { ...asked, kind: 'files', files: SIGNATURE, isSignature: true }
  }
  const kind = QUESTION_KINDS.find((one) => one === field.kind)
  if (kind === undefined) return undefined
  const choices = field.choices.map((value) => ({ value, label: choiceWords(value, field.choiceWords) }))
  return { ...asked, kind, choices }
}
