import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { labelSql } from '../../../lib/fields/label-sql.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import { quoteName, type SqlPart } from '../../../lib/sql.ts'
import { type GridQuery, rowsSql, whereSql } from '../query/grid-query.ts'
import { pageLocale } from '../../../lib/language.ts'

/** A row of the lane query; `label` has the title of a linked record. */
export interface LaneRow {
  readonly value: FieldValue
  readonly label: string | null
  readonly rows: number
}

/** Counts the view's rows per value of the field. */
export function lanesSql(query: GridQuery, field: Field): SqlPart {
  const column = `t.${quoteName(field.name)}`
  const where = whereSql(query)
  const counted = `select ${column} as value, count(*) as rows from ${tableSql(query)}${where.text} group by 1`
  return { text: `select value, rows, ${labelSql(field, 'value')} as label from (${counted})`, values: where.values }
}

/** Selects the first rows of a lane in the view's order. */
export function laneRowsSql(query: GridQuery, field: Field, value: FieldValue, limit: number): SqlPart {
  const column = `t.${quoteName(field.name)}`
  const own: SqlPart =
    value === null ? { text: `${column} is null`, values: [] } : { text: `${column} = ?`, values: [value] }
  return rowsSql(query, own, limit, 0)
}

/** Sorts lanes: choices as declared in the database, including empty ones; links by name; rows without a value last. */
export function lanesOf(field: Field, rows: readonly LaneRow[]): readonly LaneRow[] {
  const none = rows.filter(({ value }) => value === null)
  const filled = rows.filter(({ value }) => value !== null)
  const declared: readonly FieldValue[] = field.kind === 'boolean' ? [0, 1] : field.choices
  if (declared.length === 0) {
    return [...filled.toSorted((a, b) => (a.label ?? '').localeCompare(b.label ?? '', pageLocale())), ...none]
  }
  const known = declared.map((value) => filled.find((row) => row.value === value) ?? { value, label: null, rows: 0 })
  const others = filled.filter(({ value }) => !declared.includes(value))
  return [...known, ...others, ...none]
}

/** Returns the fields that can form lanes, most likely first: the record's state, other choices, people and links. */
export function laneFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter((field) => rankOf(field) >= 0).toSorted((a, b) => rankOf(a) - rankOf(b))
}

function rankOf({ kind, use, choices, link, isSystem }: Field): number {
  if (isSystem) return -1
  if (kind === 'choice' && choices.length > 0) return use === 'state' ? 0 : 1
  if (kind === 'link' && link?.titleColumn !== undefined) return 2
  return kind === 'boolean' ? 3 : -1
}

/** Returns the field that forms a view's lanes. Falls back to the most likely one if the field is missing or unsuitable. */
export function laneFieldOf(fields: readonly Field[], name: string | undefined): Field | undefined {
  const usable = laneFields(fields)
  return usable.find((field) => field.name === name) ?? usable[0]
}
