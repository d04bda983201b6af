import type { TableInfo } from '../data/tables.ts'
import { matchSql } from '../match-sql.ts'
import { quoteName, type SqlPart } from '../sql.ts'
import type { FindCandidates } from './candidates-of.ts'
import { wordSql } from './word-sql.ts'

/** A result row of {@link hitsSql}. */
export interface HitRow {
  /** Index of the searched table. */
  readonly place: number
  readonly id: string
  readonly title: string | number | null
  readonly code: string | number | null
  /** Title of a linked record, and state: they tell equal titles apart. */
  readonly link: string | number | null
  readonly state: string | number | null
  /** First text, besides title and code, with the first word. */
  readonly text: string | null
}

/** A search in one table. */
export interface TableSearch {
  readonly table: TableInfo
  /** SQL expressions to search, over the table named `t`. */
  readonly columns: readonly string[]
  readonly words: readonly string[]
  readonly candidates: FindCandidates
  /** SQL expressions of the link's title and the state. */
  readonly facts: readonly [link: string, state: string]
  /** Maximum results. */
  readonly limit: number
}

/** SQL for the best hits of several tables: titles starting with the first word first, then others, by title. */
export function hitsSql(searches: readonly TableSearch[]): SqlPart {
  const parts = searches.map(tableHitsSql)
  return { text: parts.map(({ text }) => text).join(' union all '), values: parts.flatMap(({ values }) => values) }
}

function tableHitsSql(
  { table, columns, words, candidates, facts: [link, state], limit }: TableSearch,
  place: number,
): SqlPart {
  const title = `t.${quoteName(table.titleColumn ?? 'id')}`
  const code = table.codeColumn === undefined ? 'null' : `t.${quoteName(table.codeColumn)}`
  const conditions = words.map((word) => wordSql(columns, word, candidates(word)))
  const [first = ''] = words
  const others = columns.filter((column) => column !== title && column !== code)
  const has = others.map((column) => ({ column, match: matchSql(column, first) }))
  const texts = has.map(({ column, match }) => `case when ${match.text} then ${column} end`)
  const begins = matchSql(title, first, 'start')
  return {
    text: `select * from (select ${place} as place, t.id as id, ${title} as title, ${code} as code, ${link} as link, ${state} as state,
        ${texts.length === 0 ? 'null' : `coalesce(${texts.join(', ')}, null)`} as text
      from ${quoteName(table.name)} t where ${conditions.map(({ text }) => text).join(' and ')}
      order by ${begins.text} desc, ${title} collate nocase, t.id limit ?)`,
    values: [...has.map(({ match }) => match), ...conditions, begins].flatMap(({ values }) => values).concat(limit),
  }
}
