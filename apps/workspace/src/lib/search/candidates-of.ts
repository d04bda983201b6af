import type { Candidates, LocalSearch } from '@holdfast/client'
import type { Field } from '../fields/field.ts'

/** The rows that may have a word; `undefined` when all rows have to be compared. */
export type FindCandidates = (word: string) => Candidates | undefined

/** The index of this device for a table and what the links of these fields are called. */
export function candidatesOf(search: LocalSearch | undefined, table: string, fields: readonly Field[]): FindCandidates {
  const links = fields.flatMap(({ name, link }) =>
    link?.titleColumn === undefined ? [] : [{ column: name, table: link.table }],
  )
  return (word) => search?.candidates(table, links, word)
}
