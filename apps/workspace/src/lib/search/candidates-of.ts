import type { Candidates, LocalSearch } from '@holdfast/client'
import type { Field } from '../fields/field.ts'

/** Returns candidate rows for a word; `undefined` if all rows must be scanned. */
export type FindCandidates = (word: string) => Candidates | undefined

/** Returns the search index lookup for a table and the link titles of these fields. */
export function candidatesOf(search: LocalSearch | undefined, table: string, fields: readonly Field[]): FindCandidates {
  const links = fields.flatMap(({ name, link }) =>
    link?.titleColumn === undefined ? [] : [{ column: name, table: link.table }],
  )
  return (word) => search?.candidates(table, links, word)
}
