import type { FieldFormatter } from '../../lib/data/field-formatter.ts'
import { formatterOf } from '../../lib/fields/field-formats.ts'
import { parseNumberText } from '../../lib/fields/numbers.ts'
import type { Question } from '../../lib/fields/question.ts'
import { publicFormMessages as words } from '../../messages/public-form.ts'
import type { Values } from './visitor-answers.ts'

/** What a visitor has entered, by field. */
export type Entered = Readonly<Record<string, string | boolean>>

/** The values to send, or the problems by field. */
export type Read =
  | { readonly kind: 'values'; readonly values: Values }
  | { readonly kind: 'problems'; readonly problems: Readonly<Record<string, string>> }

/**
 * Reads what was entered. Empty answers are left out, so that defaults of the table hold.
 *
 * @param files - how many files were chosen, by field
 */
export function readAnswer(
  questions: readonly Question[],
  entered: Entered,
  locale: string,
  files: ReadonlyMap<string, number> = new Map(),
): Read {
  const values: Record<string, string | boolean> = {}
  const problems: Record<string, string> = {}
  for (const question of questions) {
    const { field } = question
    if (question.kind === 'files') {
      if (question.isRequired && (files.get(field) ?? 0) === 0) problems[field] = words.fileMissing
      continue
    }
    const given = entered[field]
    const typed = typeof given === 'string' ? given.trim() : given
    if (typed === undefined || typed === '' || (typed === false && question.isRequired)) {
      if (question.isRequired) problems[field] = words.missing
      continue
    }
    const formatter = formatterOfQuestion(question)
    if (formatter && typeof typed === 'string') {
      const parsed = formatter.parse(typed, locale)
      if (parsed.isValid) values[field] = String(parsed.value)
      else problems[field] = parsed.message
      continue
    }
    const value = typeof typed === 'string' ? valueOf(question, typed, locale) : typed
    if (value === undefined) problems[field] = question.kind === 'integer' ? words.whole : words.number
    else values[field] = value
  }
  return Object.keys(problems).length > 0 ? { kind: 'problems', problems } : { kind: 'values', values }
}

/** Returns what shows and parses a duration or a location, as in the app. */
export function formatterOfQuestion({ kind, unit = 'minutes', field }: Question): FieldFormatter | undefined {
  if (kind !== 'duration' && kind !== 'location') return undefined
  const type = kind === 'duration' ? 'bigint' : 'point'
  const column = { name: field, type, local: 'text', nullable: true, hasDefault: false, generated: false } as const
  return formatterOf(kind === 'duration' ? { kind, unit } : { kind }, column)
}

/** @returns `undefined` for a text that is no number where one is asked for */
function valueOf({ kind }: Question, text: string, locale: string): string | undefined {
  switch (kind) {
    case 'integer': {
      const number = parseNumberText(text, locale)
      return number !== undefined && /^-?\d+$/.test(number) ? number : undefined
    }
    case 'number':
      return parseNumberText(text, locale)
    case 'datetime':
      // The visitor means the time at their place.
      return new Date(text).toISOString()
    default:
      return text
  }
}
