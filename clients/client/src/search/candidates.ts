import { quoteName } from '../quote-name.ts'
import { dataTable, type SearchedTable } from './search-tables.ts'

/** A piece of SQL of the local database, and its values in order. */
export interface SearchSql {
  readonly text: string
  readonly values: readonly string[]
}

/** A query for rows that may have a word. */
export interface Candidates extends SearchSql {
  /** A query with one row, whose `few` is 1 when the candidates are so few that looking at them is faster than comparing all rows. */
  readonly few: SearchSql
}

/** A column of the searched table that refers to a row of another searched table. */
export interface LinkedTable {
  readonly column: string
  readonly searched: SearchedTable
}

/** Shorter words have no trigram. */
export const INDEXED_WORD_MIN = 3

/** Of one word. A few tell it from nearly all others; each is a look into the index, and of a pasted text there are thousands. */
const TRIGRAMS_MAX = 32

/** From some number on, reading rows one by one costs more than comparing all of 100,000. A row counts once for each way that leads to it. */
const FEW_ROWS = 30_000

/**
 * A query for the ids of rows that may have a word somewhere in their searched columns, or in those of a row that one of
 * their links refers to: all that have it, and some that do not, so the rows themselves are compared as well.
 *
 * @param word - at least {@link INDEXED_WORD_MIN} characters
 */
export function candidatesSql(searched: SearchedTable, links: readonly LinkedTable[], word: string): Candidates {
  const parts = [...ownParts(searched, word), ...links.map((link) => linkedPart(searched, link, word))]
  const values = parts.flatMap((part) => part.values)
  const together = (joint: string): string => parts.map(({ text }) => text).join(joint)
  const some = `select 1 from (${together(' union all ')}) limit ${FEW_ROWS + 1}`
  return {
    text: together(' union '),
    values,
    few: { text: `select count(*) <= ${FEW_ROWS} as few from (${some})`, values },
  }
}

function linkedPart({ table }: SearchedTable, { column, searched }: LinkedTable, word: string): SearchSql {
  const target = ownParts(searched, word)
  const ids = target.map(({ text }) => text).join(' union ')
  const values = target.flatMap((part) => part.values)
  // Most words are in no title of a linked table: then the rows are not looked at.
  const text = `select id from ${quoteName(table)} where exists (${ids}) and ${quoteName(column)} in (${ids})`
  return { text, values: [...values, ...values] }
}

/**
 * Rows that have all trigrams of the word, or of its beginning if it is long, and those that changed since they were taken in; all rows while the index of
 * the table is not whole, which another tab may decide at any moment.
 */
function ownParts({ table, columns }: SearchedTable, word: string): readonly SearchSql[] {
  return [
    {
      text: `select r.id from hf_search f cross join hf_search_rows r on r.number = f.rowid where f.hf_search match ? and r.tbl = ?`,
      values: [matchOf(word), table],
    },
    { text: `select id from hf_search_due where tbl = ?`, values: [table] },
    {
      text: `select id from ${dataTable(table)}
              where not exists (select 1 from hf_search_state where tbl = ? and columns = ? and done = 1)`,
      values: [table, JSON.stringify(columns)],
    },
  ]
}

function matchOf(word: string): string {
  const letters = [...word].slice(0, TRIGRAMS_MAX + INDEXED_WORD_MIN - 1)
  const trigrams = letters
    .slice(0, 1 - INDEXED_WORD_MIN)
    .map((_, at) => letters.slice(at, at + INDEXED_WORD_MIN).join(''))
  return [...new Set(trigrams)].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
}
