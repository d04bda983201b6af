import { exportedText } from '../../lib/exchange/exported-text.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { isNumeric } from '../../lib/fields/field-kind.ts'
import { type ParsedValue, parseValue } from '../../lib/fields/parse-value.ts'
import { lowerAscii } from '../../lib/sql.ts'
import { importMessages as words } from '../../messages/import.ts'
import type { Writing } from './import-settings.ts'

/** Parses a cell for a field. An empty cell is NULL. `FoundLinks` handles links. */
export function readCell(field: Field, text: string, { decimal, dayFirst }: Writing): ParsedValue {
  if (text.includes('\0')) return { isValid: false, message: words.nul }
  // The form that sync uses, with microseconds.
  if (field.kind === 'datetime' && field.column.type.includes('with time zone')) {
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(text)) return { isValid: true, value: text }
  }
  if ((field.kind === 'date' || field.kind === 'datetime') && !hasYear(text)) {
    return { isValid: false, message: words.noYear }
  }
  // Only typed addresses are set in lower case; a file's stay as they are.
  if (field.kind === 'email') {
    const parsed = parseValue(field, text)
    return parsed.isValid && parsed.value !== null ? { isValid: true, value: text.trim() } : parsed
  }
  // A moment with a zone must not be parsed part by part.
  const locale = isNumeric(field.kind) ? (decimal === ',' ? 'de' : 'en') : dayFirst ? 'en-GB' : 'en-US'
  return parseValue(field, isNumeric(field.kind) ? withoutExponent(text) : text, { locale })
}

/** Whether a day names its year. `tomorrow` and `20 Nov` are for typing: in a file they would mean another day each year. */
function hasYear(text: string): boolean {
  const day = text.replace(/\s+\d{1,2}[:.]\d{2}(?::.*|\s*[ap]m)?$/i, '')
  return (day.match(/\d+/g)?.length ?? 0) >= (/\p{L}{3}/u.test(day) ? 2 : 3)
}

/** Zeros that an exponent may stand for. */
const EXPONENT_MAX = 100

/** Writes out `1.5E+3` as `1500`, digit by digit. */
function withoutExponent(text: string): string {
  const [, sign = '', whole = '', fraction = '', power] =
    /^([+-]?)(\d+)(?:[.,](\d+))?e([+-]?\d{1,3})$/i.exec(text.trim()) ?? []
  if (power === undefined || Math.abs(Number(power)) > EXPONENT_MAX) return text
  const digits = whole + fraction
  const point = whole.length + Number(power)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return point >= digits.length
    ? `${sign}${digits.padEnd(point, '0')}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** Whether a value equals the field's current one: the same text, number or moment. */
export function isSameValue(field: Field, current: FieldValue, next: FieldValue): boolean {
  if (current === next) return true
  if (current === null || next === null) return (current ?? '') === (next ?? '')
  const [a, b] = [String(current), String(next)]
  if (isNumeric(field.kind)) return canonical(a) === canonical(b)
  if (field.kind === 'datetime') return a === b || Date.parse(a) === Date.parse(b)
  if (field.kind === 'email') return lowerAscii(a) === lowerAscii(b)
  return exportedText(field, current) === exportedText(field, next)
}

/** Returns a text that is equal for values that match the same record: ignores the case of addresses and the format of numbers. */
export function foundBy(key: Field, value: FieldValue): string {
  const text = exportedText(key, value)
  if (key.kind === 'email') return lowerAscii(text)
  return isNumeric(key.kind) && text !== '' && Number.isFinite(Number(text)) ? canonical(text) : text
}

/** Returns a number's canonical digits, with any precision. */
function canonical(text: string): string {
  const [, sign = '', whole = '', , fraction = ''] = /^(-?)0*(\d+)(\.(\d*?)0*)?$/.exec(text) ?? []
  if (whole === '') return String(Number(text))
  const digits = fraction === '' ? whole : `${whole}.${fraction}`
  return digits === '0' ? '0' : `${sign}${digits}`
}
