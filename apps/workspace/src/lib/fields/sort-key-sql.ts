import { quoteText } from '../sql.ts'
import type { Field } from './field.ts'
import { isNumeric, isTextual } from './field-kind.ts'
import { labelSql } from './label-sql.ts'

/** Returns the SQL that a column of a field is sorted by: links by title, choices as declared, texts regardless of case. */
export function sortKeySql(field: Field, column: string): string {
  if (field.kind === 'link' && field.link?.titleColumn !== undefined) return `${labelSql(field, column)} collate nocase`
  if (isNumeric(field.kind)) return field.column.local === 'text' ? `cast(${column} as real)` : column
  if (field.kind === 'choice') return choiceOrderSql(field, column)
  return isTextual(field.kind) ? `${column} collate nocase` : column
}

/** Orders choices as declared in the database, not alphabetically. */
function choiceOrderSql({ choices }: Field, column: string): string {
  if (choices.length === 0) return column
  const cases = choices.map((choice, index) => `when ${quoteText(choice)} then ${index}`).join(' ')
  return `case ${column} ${cases} end`
}
