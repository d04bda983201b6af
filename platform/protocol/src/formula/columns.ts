import type { ColumnDescriptor } from '../schema-descriptor.ts'
import type { FormulaType } from './formula.ts'

type FormulaColumn = Pick<ColumnDescriptor, 'type' | 'choices'>

/** Most characters of a text that formulas read, so that no formula makes a text of any size. */
export const FORMULA_TEXT_MAX = 10_000

/** Returns the type as which formulas read a column, `undefined` if they cannot: binary, JSON, arrays, durations and the like. */
export function formulaTypeOf(column: FormulaColumn): FormulaType | undefined {
  const type = baseTypeOf(column)
  switch (type) {
    case 'smallint':
    case 'integer':
    case 'bigint':
    case 'numeric':
    case 'real':
    case 'double precision':
      return 'number'
    case 'boolean':
    case 'date':
      return type
    case 'timestamp with time zone':
    case 'timestamp without time zone':
      return 'datetime'
    case 'text':
    case 'character varying':
    case 'character':
    case 'uuid':
      return 'text'
    default:
      // Labels of an enum.
      return column.choices !== undefined && !type.endsWith(']') ? 'text' : undefined
  }
}

/**
 * Returns SQLite for the value of a column as Postgres' `holdfast.formula_value` reads it: numbers as `real`, moments in UTC with six digits, and empty instead
 * of infinity, of days outside the years 1 to 9999, and of a text without characters.
 *
 * @param sql - names the column; used several times
 */
export function readColumnSql(sql: string, column: FormulaColumn): string {
  switch (baseTypeOf(column)) {
    case 'smallint':
    case 'integer':
    case 'bigint':
      return `cast(${sql} as real)`
    case 'numeric':
      // Beyond 19 digits SQLite and Postgres may read a text as different numbers.
      return `case when ${sql} not in ('NaN', 'Infinity', '-Infinity') and abs(cast(${sql} as real)) < 1e15 then cast(substr(${sql}, 1, 20) as real) + 0.0 end`
    case 'real':
    case 'double precision':
      return `nullif(nullif(cast(${sql} as real) + 0.0, 9e999), -9e999)`
    case 'boolean':
      return `(${sql} <> 0)`
    case 'date':
      return `nullif(nullif(date(${sql}), '0000-01-01'), '9999-12-31')`
    case 'timestamp with time zone':
      return momentSql(sql, 27, sql)
    case 'timestamp without time zone':
      return momentSql(sql, 26, `${sql} || 'Z'`)
    case 'character':
      return `nullif(rtrim(${sql}), '')`
    default:
      return `nullif(substr(${sql}, 1, ${FORMULA_TEXT_MAX}), '')`
  }
}

/** @param full - the value, if it has `length` characters; of another length are moments that this device wrote */
function momentSql(sql: string, length: number, full: string): string {
  const value = `case when length(${sql}) = ${length} then ${full} else strftime('%Y-%m-%dT%H:%M:%f', ${sql}) || '000Z' end`
  return `case when ${sql} >= '0001' and ${sql} < '9999-12-31' and substr(${sql}, 5, 1) = '-' and ${sql} not like '%BC' then ${value} end`
}

function baseTypeOf({ type }: FormulaColumn): string {
  return type
    .replace(/\(.*?\)/, '')
    .replace(/ {2,}/g, ' ')
    .trim()
}
