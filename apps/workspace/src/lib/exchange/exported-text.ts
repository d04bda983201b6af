import type { Field, FieldValue } from '../fields/field.ts'
import { choiceWords } from '../fields/format-value.ts'

/** A value as text that says all of it in every language: days and moments in ISO, numbers with a point, yes and no as `true` and `false`, a link by its id. */
export function exportedText(field: Field, value: FieldValue): string {
  if (value === null) return ''
  if (field.kind === 'boolean') return value === 0 || value === '0' || value === 'false' ? 'false' : 'true'
  if (field.kind !== 'choice') return String(value)
  const words = choiceWords(String(value), field.choiceWords)
  // Two choices may read the same.
  const readAs = field.choices.filter((choice) => choice === words || choiceWords(choice, field.choiceWords) === words)
  return readAs.length === 1 ? words : String(value)
}

/** A number that XLSX, whose numbers are doubles shown with 15 digits, keeps as it is; else `undefined`. */
export function exactNumber(text: string): number | undefined {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return undefined
  const digits = text.replace(/^-?0*\.?0*/, '').replace('.', '')
  const number = Number(text)
  return digits.length <= 15 && Number.isFinite(number) ? number : undefined
}

/** A day as the date of a spreadsheet; those before March 1900 differ between programs. */
export function spreadsheetDay(text: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1900-03-01') return undefined
  const at = new Date(`${text}T00:00:00Z`)
  return Number.isNaN(at.getTime()) ? undefined : at
}
