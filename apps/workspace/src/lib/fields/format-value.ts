import { parseJson } from '@holdfast/protocol'
import { fieldMessages } from '../../messages/fields.ts'
import { pageLocale } from '../language.ts'
import { dayOf, formatDay, formatMomentText, momentOf, timeOfDay } from './dates.ts'
import { type ChoiceWords, NONE_GIVEN } from '../data/column-words.ts'
import type { Field, FieldValue } from './field.ts'
import { decimalSeparator, formatNumberText } from './numbers.ts'

/**
 * Returns a choice's label: the project's, otherwise `to_verify` → `To verify`; single capitals stay.
 *
 * @param given - the labels of the field's choices
 */
export function choiceWords(choice: string, given: ChoiceWords = NONE_GIVEN): string {
  const own = given.get(choice)
  if (own !== undefined) return own
  const words = choice.replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Formats a value for display; empty for NULL.
 *
 * @param label - title of a link's target
 * @param locale - default: the reader's
 */
export function formatValue(
  field: Field,
  value: FieldValue,
  label?: FieldValue,
  locale: string = pageLocale(),
): string {
  if (value === null) return ''
  if (field.format) return field.format.show(String(value), locale)
  switch (field.kind) {
    case 'boolean':
      return value === 0 || value === '0' || value === 'false' ? fieldMessages.no : fieldMessages.yes
    case 'integer':
      return formatWhole(String(value), locale)
    case 'number':
      return formatNumberText(withoutNoise(value), locale)
    case 'date':
      return formatDay(String(value), locale)
    case 'datetime':
      return formatMomentText(String(value), locale)
    case 'choice':
      return choiceWords(String(value), field.choiceWords)
    case 'link':
      return label === null || label === undefined || label === '' ? shortIdText(String(value)) : String(label)
    case 'uuid':
      return shortIdText(String(value))
    case 'json':
      return formatJson(String(value))
    case 'binary':
      return ''
    case 'text':
    case 'long_text':
    case 'email':
    case 'url':
    case 'phone':
      return String(value)
    default:
      return field.kind satisfies never
  }
}

/** Renders a computed double with the 15 digits that spreadsheets show: 74.99 * 1.19 as 89.2381. */
function withoutNoise(value: NonNullable<FieldValue>): string {
  return String(typeof value === 'number' ? Number(value.toPrecision(15)) : value)
}

/** Formats a whole number. Four digits stay together, because they are often a year. */
function formatWhole(text: string, locale: string): string {
  return /^\d{4}$/.test(text) ? text : formatNumberText(text, locale)
}

/** Returns the first part of an id. */
function shortIdText(id: string): string {
  return id.length > 12 ? id.slice(0, 8) : id
}

/** Formats a list of plain values with commas, anything else as JSON. */
function formatJson(text: string): string {
  const value = parseJson(text)
  const isPlainList =
    Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number')
  return isPlainList ? value.join(', ') : text
}

/** Returns the text for editing and copying, which parses to the same value. */
export function toEditText(field: Field, value: FieldValue, locale: string = pageLocale()): string {
  if (value === null) return ''
  if (field.format) return field.format.edit(String(value), locale)
  switch (field.kind) {
    case 'integer':
    case 'number':
      return String(value).replace('.', decimalSeparator(locale))
    case 'datetime': {
      const at = momentOf(String(value))
      return at === undefined ? String(value) : `${dayOf(at)} ${timeOfDay(at)}`
    }
    case 'boolean':
      return formatValue(field, value)
    default:
      return String(value)
  }
}
