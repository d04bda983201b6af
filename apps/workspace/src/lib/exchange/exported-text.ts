import type { Field, FieldValue } from '../fields/field.ts'
import { choiceWords } from '../fields/format-value.ts'

/** Formats a value losslessly and language-independently: ISO dates, decimal points, `true`/`false`, links by id. */
export function exportedText(field: Field, value: FieldValue): string {
  if (value === null) return ''
  const format = field.format?.format.kind
  // Numbers stay numbers that spreadsheets calculate with.
  if (format === 'duration' || format === 'location') return field.format?.edit(String(value), 'en') ?? ''
  if (field.kind === 'boolean') return value === 0 || value === '0' || value === 'false' ? 'false' : 'true'
  if (field.kind !== 'choice') return String(value)
  const words = choiceWords(String(value), field.choiceWords)
  // Two choices may have the same label.
  const readAs = field.choices.filter((choice) => choice === words || choiceWords(choice, field.choiceWords) === words)
  return readAs.length === 1 ? words : String(value)
}

/** Returns a number that XLSX (doubles shown with 15 digits) preserves; otherwise `undefined`. */
export function exactNumber(text: string): number | undefined {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return undefined
  const digits = text.replace(/^-?0*\.?0*/, '').replace('.', '')
  const number = Number(text)
  return digits.length <= 15 && Number.isFinite(number) ? number : undefined
}

/** Returns a day as a spreadsheet date; programs differ before March 1900. */
export function spreadsheetDay(text: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1900-03-01') return undefined
  const at = new Date(`${text}T00:00:00Z`)
  return Number.isNaN(at.getTime()) ? undefined : at
}
