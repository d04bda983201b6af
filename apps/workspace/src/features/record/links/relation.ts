import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'

/** A table with a field that links to the shown record's table. */
export interface Relation {
  readonly table: TableInfo
  readonly field: Field
}
