import { fieldMessages as words } from '../../messages/fields.ts'
import type { ParsedText } from '../data/field-formatter.ts'
import { dayOf, parseDay, parseMoment, toStoredMoment, YEAR_MAX, YEAR_MIN } from './dates.ts'
import type { Field, FieldValue } from './field.ts'
import { choiceWords } from './format-value.ts'
import { formatNumberText, numberShapeOf, parseNumberText } from './numbers.ts'
import { pageLocale } from '../language.ts'

export type ParsedValue = ParsedText

export const TEXT_MAX = 1_000
const LONG_TEXT_MAX = 100_000
const EMAIL_MAX = 254
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Pattern of the WHATWG's `input type=email`. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

export interface ParseOptions {
  /** `undefined` for the reader's language. */
  readonly locale?: string | undefined
  readonly now?: Date
}

/** Parses typed or pasted field text. Empty is NULL. Applies the column type's rules; the database has the final say. */
export function parseValue(
  field: Field,
  text: string,
  { locale = pageLocale(), now = new Date() }: ParseOptions = {},
): ParsedValue {
  const typed = field.kind === 'long_text' ? text.replace(/\s+$/, '') : text.trim()
  if (typed === '') return checkEmpty(field)
  if (field.format) return field.format.parse(typed, locale)
  switch (field.kind) {
    case 'text':
    case 'phone':
      return checkLength(field, typed, TEXT_MAX)
    case 'long_text':
      return checkLength(field, typed, LONG_TEXT_MAX)
    case 'email':
      return EMAIL.test(typed) && typed.length <= EMAIL_MAX ? valid(typed.toLowerCase()) : invalid(words.email)
    case 'url':
      return isWebAddress(typed) ? checkLength(field, typed, LONG_TEXT_MAX) : invalid(words.url)
    case 'integer':
    case 'number':
      return parseNumber(field, typed, locale)
    case 'boolean':
      return parseBoolean(typed)
    case 'date': {
      const day = parseDay(typed, locale, dayOf(now))
      return day === undefined ? invalid(words.date(YEAR_MIN, YEAR_MAX)) : valid(day)
    }
    case 'datetime': {
      const at = parseMoment(typed, locale, dayOf(now))
      if (at === undefined) return invalid(words.datetime)
      return valid(toStoredMoment(at, field.column.type.includes('with time zone')))
    }
    case 'choice':
      return parseChoice(field, typed)
    case 'link':
    case 'uuid':
      return UUID.test(typed) ? valid(typed.toLowerCase()) : invalid(field.kind === 'link' ? words.link : words.uuid)
    case 'json':
      return parseJson(field, typed)
    case 'binary':
      return invalid(words.binary)
    default:
      return field.kind satisfies never
  }
}

/** Whether a field may be empty, also when a cell is cleared. */
export function checkEmpty(field: Field): ParsedValue {
  return field.column.nullable ? valid(null) : invalid(words.required(field.label))
}

function valid(value: FieldValue): ParsedValue {
  return { isValid: true, value }
}

function invalid(message: string): ParsedValue {
  return { isValid: false, message }
}

export function checkLength(field: Pick<Field, 'column'>, text: string, otherwiseMax: number): ParsedValue {
  const [, declared] = /^(?:character varying|varchar|character|char)\((\d+)\)$/.exec(field.column.type) ?? []
  const max = declared === undefined ? otherwiseMax : Number(declared)
  const length = [...text].length
  return length <= max ? valid(text) : invalid(words.tooLong(max, length))
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

export function parseNumber(field: Pick<Field, 'kind' | 'column'>, text: string, locale: string): ParsedValue {
  const digits = parseNumberText(text, locale)
  if (digits === undefined) return invalid(words.number)
  const { scale, min, max } = numberShapeOf(field)
  const fraction = digits.split('.')[1] ?? ''
  if (scale === 0 && /[1-9]/.test(fraction)) return invalid(words.wholeNumber)
  if (scale !== undefined && fraction.replace(/0+$/, '').length > scale) return invalid(words.digits(scale))
  const number = Number(digits)
  if (number < min || number > max) {
    const show = (bound: number): string => formatNumberText(bound.toFixed(scale ?? 0), locale)
    return invalid(words.between(show(min), show(max)))
  }
  // Numerics are exact text on the device; other types are SQLite numbers.
  return valid(field.column.local === 'text' ? numericText(digits, scale) : number)
}

/** Returns the text that Postgres stores for a numeric, so that the value looks the same before and after it is sent: `6` in a `numeric(6,2)` is `6.00`. */
function numericText(digits: string, scale: number | undefined): string {
  const [whole = '', fraction = ''] = digits.split('.')
  const kept = scale === undefined ? fraction : fraction.slice(0, scale).padEnd(scale, '0')
  const text = kept === '' ? whole : `${whole}.${kept}`
  return /[1-9]/.test(text) ? text : text.replace('-', '')
}

function parseBoolean(text: string): ParsedValue {
  if (/^(yes|y|ja|j|oui|o|true|t|wahr|vrai|1|on|✓|x)$/i.test(text)) return valid(1)
  if (/^(no|n|nein|non|false|f|falsch|faux|0|off)$/i.test(text)) return valid(0)
  return invalid(words.boolean)
}

/** Parses a choice by value or label, ignoring case. Exact matches take precedence. */
function parseChoice(field: Field, text: string): ParsedValue {
  const folded = text.toLowerCase()
  const shown = (choice: string): string => choiceWords(choice, field.choiceWords)
  const found =
    field.choices.find((choice) => choice === text) ??
    field.choices.find((choice) => shown(choice) === text) ??
    field.choices.find((choice) => choice.toLowerCase() === folded || shown(choice).toLowerCase() === folded)
  return found === undefined
    ? invalid(words.choice(field.choices.map((choice) => choiceWords(choice, field.choiceWords))))
    : valid(found)
}

/** Parses JSON; for array columns also comma-separated words. */
function parseJson(field: Field, text: string): ParsedValue {
  const isList = field.column.type.endsWith('[]')
  try {
    const value: unknown = JSON.parse(text)
    if (!isList || Array.isArray(value)) return valid(JSON.stringify(value))
  } catch {
    if (!isList) return invalid(words.json)
  }
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  return valid(JSON.stringify(items))
}
