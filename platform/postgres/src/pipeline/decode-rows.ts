import { types } from 'pg'
import type { StepAnswer } from './exchange.ts'

/** Decodes the rows of a step as the driver would: objects keyed by column, with the driver's values. */
export function decodeRows<Row extends object>({ columns, rows }: StepAnswer): Row[] {
  const parsers = columns.map(({ typeOid }) => types.getTypeParser(typeOid, 'text') as (text: string) => unknown)
  return rows.map((values) => {
    const row: Record<string, unknown> = {}
    columns.forEach(({ name }, index) => {
      const value = values[index]
      row[name] = value ? parsers[index]?.(value.toString('utf8')) : null
    })
    return row as Row
  })
}
