import { quoteName } from '../sql.ts'
import type { Field } from './field.ts'

/** SQL for a link's title; NULL if the target is not on this device. */
export function labelSql(field: Field, column: string): string {
  if (field.link?.titleColumn === undefined) return 'null'
  return `(select ${quoteName(field.link.titleColumn)} from ${quoteName(field.link.table)} where id = ${column})`
}
