import { decimalSeparator, parseNumberText } from '../../lib/fields/numbers.ts'
import { pageLocale } from '../../lib/language.ts'

/** Parses a number as typed. */
export function toNumber(text: string): number | undefined {
  const digits = parseNumberText(text, pageLocale())
  return digits === undefined ? undefined : Number(digits)
}

/** Converts a number to the text that a user would type. */
export function numberText(value: number): string {
  return String(value).replace('.', decimalSeparator(pageLocale()))
}
