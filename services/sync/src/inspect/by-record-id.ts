import type { TablePlan } from '@holdfast/policy'
import { quoteIdentifier, sql, type SqlFragment } from '@holdfast/postgres'
import { readRecordId } from '../encode/record-id.ts'
import { renderLiteral } from '../upload/render-literal.ts'

/** Renders the condition for the row with an id, in the table aliased `t`. False for an id that no row can have. */
export function byRecordId(table: TablePlan, id: string): SqlFragment {
  const texts = readRecordId(id, table.key.columns.length)
  if (!texts) return sql`false`
  const conditions = table.key.columns.flatMap((name, index) => {
    const column = table.columns.find((one) => one.name === name)
    const text = texts[index]
    if (!column || text === undefined) return []
    const value = column.shape.kind === 'scalar' ? text : renderLiteral(text, column.shape)
    return [sql`t.${sql.trusted(quoteIdentifier(name))} = ${value}::text::${sql.trusted(column.typeName)}`]
  })
  return sql.join(conditions, ' and ')
}
