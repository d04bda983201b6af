import type { ColumnDescriptor } from '@holdfast/protocol'
import { fieldMessages } from '../../messages/fields.ts'
import { choiceWordsOf } from '../data/column-words.ts'
import { pageLocale } from '../language.ts'
import { formatDay, formatMomentText } from './dates.ts'
import { choiceWords } from './format-value.ts'
import { decimalSeparator, parseNumberText } from './numbers.ts'

/** A value as the local database holds it. */
export type LocalValueOf = string | number | null

/** How a field is edited and shown, by its Postgres type. */
export type FieldKind = 'choice' | 'link' | 'boolean' | 'number' | 'date' | 'moment' | 'json' | 'text'

const NUMBERS = /^(smallint|integer|bigint|real|double precision|numeric)/

export function fieldKindOf({ choices, references, type }: ColumnDescriptor): FieldKind {
  if (choices !== undefined) return 'choice'
  if (references !== undefined) return 'link'
  if (type === 'boolean') return 'boolean'
  if (NUMBERS.test(type)) return 'number'
  if (type === 'date') return 'date'
  if (type.startsWith('timestamp')) return 'moment'
  if (type === 'json' || type === 'jsonb') return 'json'
  return 'text'
}

/** A value in words, in the reader's format; `undefined` for an empty one. A link shows its id here: the title is a query. */
export function formatFieldValue(column: ColumnDescriptor, value: LocalValueOf | undefined): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  switch (fieldKindOf(column)) {
    case 'choice':
      return choiceWords(String(value), choiceWordsOf(column))
    case 'boolean':
      return value === 1 || value === 'true' || value === 't' ? fieldMessages.yes : fieldMessages.no
    case 'date':
      return formatDay(String(value), pageLocale())
    case 'moment':
      return formatMomentText(String(value), pageLocale())
    case 'number':
    case 'link':
    case 'json':
    case 'text':
      return String(value)
  }
}

/**
 * What the local database gets for what was typed. An empty text is null; a number is read as the reader writes it.
 *
 * @returns the text itself where it is no number in a field of numbers: the server refuses it with a reason
 */
export function parseTyped(column: ColumnDescriptor, text: string): LocalValueOf {
  if (text === '') return null
  if (fieldKindOf(column) !== 'number') return text
  const digits = parseNumberText(text, pageLocale())
  return digits === undefined || column.local === 'text' ? (digits ?? text) : Number(digits)
}

/** The text that a field of numbers begins with: it is read as the same value. */
export function numberText(value: LocalValueOf): string {
  return value === null ? '' : String(value).replace('.', decimalSeparator(pageLocale()))
}
