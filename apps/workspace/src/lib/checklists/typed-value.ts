import type { FieldValue } from '../fields/field.ts'
import { formatNumberText, decimalSeparator, parseNumberText } from '../fields/numbers.ts'
import { pageLocale } from '../language.ts'
import { checklistMessages as words } from '../../messages/checklist.ts'
import { isTrue, type Question } from './questions.ts'

/** What stands in the input of a question. */
export type TypedValue =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: FieldValue }
  | { readonly kind: 'invalid' }

/**
 * Reads what was chosen or typed.
 *
 * @param raw - a draft has it as it was typed; to a question of yes or no `null` is "not applicable", to others nothing, as `undefined` is to all
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

/** A stored value as the input of its question has it: a number is a text that is read as the same number. */
export function toRaw({ kind }: Question, value: FieldValue): FieldValue {
  return kind === 'reading' && value !== null ? String(value).replace('.', decimalSeparator(pageLocale())) : value
}

/** An answer as people read it. */
export function answerWords({ kind, unit }: Question, value: FieldValue): string {
  if (value === null) return words.notApplicable
  if (kind === 'yes_no') return isTrue(value) ? words.yes : words.no
  if (kind !== 'reading') return String(value)
  const number = formatNumberText(String(value), pageLocale())
  return unit === undefined ? number : `${number} ${unit}`
}
