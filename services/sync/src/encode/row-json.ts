import type { PlannedColumn } from '@holdfast/policy'
import { columnToJson, valueToJson } from './value-json.ts'

/** Converts a Postgres array literal of scalar elements to JSON text. */
export function arrayJson(literal: string, elementOid: number): string {
  const delimiter = elementOid === BOX ? ';' : ','
  return valueToJson({ kind: 'array', element: { kind: 'scalar', oid: elementOid }, delimiter })(literal)
}

/** The only built-in type whose arrays are not separated by commas. */
const BOX = 603

/** Writes one row's columns as the text of a JSON object, keys in column order, SQL NULL as `null`. */
export type RowEncoder = (row: readonly (string | null)[]) => string

/**
 * Compiles an encoder for some columns of a table.
 *
 * @param columns - the columns to write, with the position of each in the rows to come
 */
export function compileRowEncoder(
  columns: readonly { readonly column: Pick<PlannedColumn, 'localName' | 'shape'>; readonly position: number }[],
): RowEncoder {
  const parts = columns.map(({ column, position }, index) => ({
    key: `${index === 0 ? '' : ','}${JSON.stringify(column.localName)}:`,
    position,
    convert: columnToJson(column.shape),
  }))
  return (row) => {
    let json = '{'
    for (const { key, position, convert } of parts) {
      const value = row[position]
      json += key + (value === null || value === undefined ? 'null' : convert(value))
    }
    return `${json}}`
  }
}
