import type { ColumnDescriptor } from '@holdfast/protocol'
import { fieldMessages } from '../../messages/fields.ts'
import { choiceWordsOf } from '../data/column-words.ts'
import { pageLocale } from '../language.ts'
import { formatDay, formatMomentText } from './dates.ts'
import { choiceWords } from './format-value.ts'
import { decimalSeparator, parseNumberText } from './numbers.ts'

/** A value as stored locally. */
export type LocalValueOf = string | number | null

/** How a field is edited and displayed, by its Postgres type. */
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

/** Formats a value for the reader; `undefined` if empty. Links show their id, because titles need a query. */
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
 * Parses typed text. Empty is null; numbers use the reader's format.
 *
 * @returns the text itself if it is not a number in a number field: the server refuses it with a reason
 */
export function parseTyped(column: ColumnDescriptor, text: string): LocalValueOf {
  if (text === '') return null
  if (fieldKindOf(column) !== 'number') return text
  const digits = parseNumberText(text, pageLocale())
  return digits === undefined || column.local === 'text' ? (digits ?? text) : Number(digits)
}

/** Returns the initial text of a number field, which parses to the same value. */
export function numberText(value: LocalValueOf): string {
  return value === null ? '' : String(value).replace('.', decimalSeparator(pageLocale()))
}
