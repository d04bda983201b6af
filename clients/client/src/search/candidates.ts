import { quoteName } from '@holdfast/protocol'
import { dataTable, type SearchedTable } from './search-tables.ts'

/** SQL of the local database with its values. */
export interface SearchSql {
  readonly text: string
  readonly values: readonly string[]
}

/** A query for rows that may contain a word. */
export interface Candidates extends SearchSql {
  /** A query whose `few` is 1 if checking the candidates is faster than scanning all rows. */
  readonly few: SearchSql
}

/** A column that references another searched table. */
export interface LinkedTable {
  readonly column: string
  readonly searched: SearchedTable
}

/** Shorter words have no trigram. */
export const INDEXED_WORD_MIN = 3

/** Trigrams used per word. A few are selective enough; each costs an index lookup, and a pasted text has thousands. */
const TRIGRAMS_MAX = 32

/** Above this number, reading rows individually costs more than scanning 100,000. A row counts once per path that leads to it. */
const FEW_ROWS = 30_000

/**
 * Returns a query for ids of rows that may contain a word in their searched columns, or in those of a linked row. May include rows without it, so the rows must
 * be checked.
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
  // Most words match no linked title; then the rows are not scanned.
  const text = `select id from ${quoteName(table)} where exists (${ids}) and ${quoteName(column)} in (${ids})`
  return { text, values: [...values, ...values] }
}

/**
 * Rows with all trigrams of the word (or its beginning if long), and rows changed since indexing; all rows while the table's index is incomplete, which another
 * tab may change at any time.
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
