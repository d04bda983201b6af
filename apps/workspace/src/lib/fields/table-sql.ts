import { quoteName } from '../sql.ts'
import type { Field } from './field.ts'

/** Alias of the table in the SQL of computed fields. */
export const COMPUTED_ALIAS = 'c'

/**
 * Returns a table for FROM, named `t`, with its computed fields as columns. SQLite merges the subquery into the query around it, so that a query computes only the fields
 * that it names, and indexes apply.
 */
export function tableSql({ table, fields }: { readonly table: string; readonly fields: readonly Field[] }): string {
  const computed = fields.flatMap(({ name, computed: one }) => (one ? [`${one.sql} as ${quoteName(name)}`] : []))
  if (computed.length === 0) return `${quoteName(table)} t`
  return `(select ${COMPUTED_ALIAS}.*, ${computed.join(', ')} from ${quoteName(table)} ${COMPUTED_ALIAS}) t`
}
