import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { labelSql } from '../../../lib/fields/label-sql.ts'
import { quoteName, type SqlPart } from '../../../lib/sql.ts'
import { type GridQuery, rowsSql, whereSql } from '../query/grid-query.ts'
import { pageLocale } from '../../../lib/language.ts'

/** A lane as the query of lanes has it; a link's name is in `label`. */
export interface LaneRow {
  readonly value: FieldValue
  readonly label: string | null
  readonly rows: number
}

/** The values of the field among the rows of the view, with how many rows there are of each. */
export function lanesSql(query: GridQuery, field: Field): SqlPart {
  const column = `t.${quoteName(field.name)}`
  const where = whereSql(query)
  const counted = `select ${column} as value, count(*) as rows from ${quoteName(query.table)} t${where.text} group by 1`
  return { text: `select value, rows, ${labelSql(field, 'value')} as label from (${counted})`, values: where.values }
}

/** The first rows of one lane, in the order of the view. */
export function laneRowsSql(query: GridQuery, field: Field, value: FieldValue, limit: number): SqlPart {
  const column = `t.${quoteName(field.name)}`
  const own: SqlPart =
    value === null ? { text: `${column} is null`, values: [] } : { text: `${column} = ?`, values: [value] }
  return rowsSql(query, own, limit, 0)
}

/** Lanes in their order: choices as the database declares them and also when they are empty, links by name, then what has no value. */
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

/** Fields whose values can be lanes, the most usual first: where a record stands, then other choices, people and links. */
export function laneFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter((field) => rankOf(field) >= 0).toSorted((a, b) => rankOf(a) - rankOf(b))
}

function rankOf({ kind, name, choices, link, isSystem }: Field): number {
  if (isSystem) return -1
  if (kind === 'choice' && choices.length > 0) return name === 'state' || name === 'status' ? 0 : 1
  if (kind === 'link' && link?.titleColumn !== undefined) return 2
  return kind === 'boolean' ? 3 : -1
}

/** The field that a view makes lanes of. A field that is gone, or makes none, is replaced by the most usual one. */
export function laneFieldOf(fields: readonly Field[], name: string | undefined): Field | undefined {
  const usable = laneFields(fields)
  return usable.find((field) => field.name === name) ?? usable[0]
}
