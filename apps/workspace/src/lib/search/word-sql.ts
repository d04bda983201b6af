import type { Field } from '../fields/field.ts'
import { isChosenText, isTextual } from '../fields/field-kind.ts'
import { labelSql } from '../fields/label-sql.ts'
import { matchSql } from '../match-sql.ts'
import { quoteName, type SqlPart } from '../sql.ts'

/** Of a pasted text: SQLite refuses a condition of 1,000 words, and a word of 50,000 bytes. */
const WORDS_MAX = 32
const WORD_CHARS_MAX = 1_000

/** What was typed into a search, word by word: a row has to have all of them, anywhere and in any order. A long text counts by its beginning. */
export function wordsOf(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX)
    .map((word) => (word.length > WORD_CHARS_MAX ? [...word].slice(0, WORD_CHARS_MAX).join('') : word))
}

/** Whether each word is in one of the texts. In capitals: the small sigma at the end of a word is another than that within one. */
export function hasWords(texts: readonly string[], words: readonly string[]): boolean {
  const all = texts.map((text) => text.toUpperCase())
  return words.every((word) => all.some((text) => text.includes(word.toUpperCase())))
}

/** What a search looks into, as SQL over the table named `t`: the texts of the row, and what its links are called. */
export function searchedColumns(fields: readonly Field[]): readonly string[] {
  return fields.flatMap((field): readonly string[] => {
    const column = `t.${quoteName(field.name)}`
    if (isTextual(field.kind) || isChosenText(field)) return [column]
    return field.kind === 'link' && field.link?.titleColumn !== undefined ? [labelSql(field, column)] : []
  })
}

/**
 * The condition that one of the columns has the word, whatever the case of its letters.
 *
 * @param columns - SQL over the table named `t`
 * @param found - a query for the ids of rows that may have the word, from an index; without it all rows are compared
 */
export function wordSql(columns: readonly string[], word: string, found?: SqlPart): SqlPart {
  if (columns.length === 0) return { text: '0', values: [] }
  const matches = columns.map((column) => matchSql(column, word))
  const compared = matches.map(({ text }) => text).join(' or ')
  const values = matches.flatMap((match) => match.values)
  if (!found) return { text: `(${compared})`, values }
  return { text: `(t.id in (${found.text}) and (${compared}))`, values: [...found.values, ...values] }
}
