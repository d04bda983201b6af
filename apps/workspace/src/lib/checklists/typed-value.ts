import { formatDay } from '../fields/dates.ts'
import type { FieldValue } from '../fields/field.ts'
import { formatNumberText, decimalSeparator, parseNumberText } from '../fields/numbers.ts'
import { pageLocale } from '../language.ts'
import { checklistMessages as words } from '../../messages/checklist.ts'
import { isTrue, type Question } from './questions.ts'

/** Content of a question's input. */
export type TypedValue =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: FieldValue }
  | { readonly kind: 'invalid' }

/**
 * Parses the entered value.
 *
 * @param raw - as entered; `null` means "not applicable" for yes/no questions and nothing for others, `undefined` nothing
 */
export function typedValue({ kind }: Question, raw: FieldValue | undefined): TypedValue {
  if (raw === undefined) return { kind: 'none' }
  if (kind === 'yes_no') return { kind: 'value', value: raw }
  const text = String(raw ?? '').trim()
  if (text === '') return { kind: 'none' }
  if (kind !== 'reading') return { kind: 'value', value: text }
  const digits = parseNumberText(text, pageLocale())
  return digits === undefined ? { kind: 'invalid' } : { kind: 'value', value: Number(digits) }
}

/** Converts a stored value to input form; numbers become text that parses to the same number. */
export function toRaw({ kind }: Question, value: FieldValue): FieldValue {
  return kind === 'reading' && value !== null ? String(value).replace('.', decimalSeparator(pageLocale())) : value
}

/** Formats an answer for display. */
export function answerWords({ kind, unit }: Pick<Question, 'kind' | 'unit'>, value: FieldValue): string {
  if (value === null) return words.notApplicable
  if (kind === 'yes_no') return isTrue(value) ? words.yes : words.no
  if (kind === 'photo') return words.photoTaken
  if (kind === 'date') return formatDay(String(value), pageLocale())
  if (kind !== 'reading') return String(value)
  const number = formatNumberText(String(value), pageLocale())
  return unit === undefined ? number : `${number} ${unit}`
}
