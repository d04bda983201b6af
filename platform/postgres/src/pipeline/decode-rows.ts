import { types } from 'pg'
import type { StepAnswer } from './exchange.ts'

/** The rows of a step as the driver returns them: objects by the names of their columns, with the driver's values. */
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
