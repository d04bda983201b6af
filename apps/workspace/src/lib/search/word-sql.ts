import type { Field } from '../fields/field.ts'
import { isChosenText, isTextual } from '../fields/field-kind.ts'
import { labelSql } from '../fields/label-sql.ts'
import { matchSql } from '../match-sql.ts'
import { quoteName, type SqlPart } from '../sql.ts'

/** Limit for pasted text: SQLite refuses a condition of 1,000 words, and a word of 50,000 bytes. */
const WORDS_MAX = 32
const WORD_CHARS_MAX = 1_000

/** Splits search input into words; a row must contain all, in any order. Long input is truncated. */
export function wordsOf(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX)
    .map((word) => (word.length > WORD_CHARS_MAX ? [...word].slice(0, WORD_CHARS_MAX).join('') : word))
}

/** Whether each word is in one of the texts. Compares uppercase, because final sigma differs in lowercase. */
export function hasWords(texts: readonly string[], words: readonly string[]): boolean {
  const all = texts.map((text) => text.toUpperCase())
  return words.every((word) => all.some((text) => text.includes(word.toUpperCase())))
}

/** Returns the searched SQL expressions over the table `t`: texts of the row and link titles. */
export function searchedColumns(fields: readonly Field[]): readonly string[] {
  return fields.flatMap((field): readonly string[] => {
    // The text index has no computed texts.
    if (field.computed) return []
    const column = `t.${quoteName(field.name)}`
    if (isTextual(field.kind) || isChosenText(field)) return [column]
    return field.kind === 'link' && field.link?.titleColumn !== undefined ? [labelSql(field, column)] : []
  })
}

/**
 * SQL condition: a column contains the word, ignoring case.
 *
 * @param columns - SQL over the table named `t`
 * @param found - index query for candidate ids; without it all rows are scanned
 */
export function wordSql(columns: readonly string[], word: string, found?: SqlPart): SqlPart {
  if (columns.length === 0) return { text: '0', values: [] }
  const matches = columns.map((column) => matchSql(column, word))
  const compared = matches.map(({ text }) => text).join(' or ')
  const values = matches.flatMap((match) => match.values)
  if (!found) return { text: `(${compared})`, values }
  return { text: `(t.id in (${found.text}) and (${compared}))`, values: [...found.values, ...values] }
}
