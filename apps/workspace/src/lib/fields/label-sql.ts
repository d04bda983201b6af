import { quoteName } from '../sql.ts'
import type { Field } from './field.ts'

/** What the target of a link is called; NULL when it is not on this device. */
export function labelSql(field: Field, column: string): string {
  if (field.link?.titleColumn === undefined) return 'null'
  return `(select ${quoteName(field.link.titleColumn)} from ${quoteName(field.link.table)} where id = ${column})`
}
