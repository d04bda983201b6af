import type { DateStep, MeasureKind } from '@holdfast/protocol'
import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { isTextual } from '../../../lib/fields/field-kind.ts'
import { labelSql } from '../../../lib/fields/label-sql.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import type { FilterGroup } from '../../../lib/filters/filter.ts'
import { filterSql } from '../../../lib/filters/filter-sql.ts'
import { quoteName, type SqlPart } from '../../../lib/sql.ts'
import { shiftSql, type ZoneShift } from './zone-shifts.ts'

/** A field that a tile groups by. */
export interface GroupBy {
  readonly field: Field
  /** Only of dates. */
  readonly by: DateStep | undefined
}

export interface Measure {
  readonly kind: MeasureKind
  /** A number field; `undefined` for a count. */
  readonly field: Field | undefined
}

/** The rows of a tile. */
export interface TileRows {
  readonly table: string
  readonly fields: readonly Field[]
  /** Complete: its conditions are on fields that exist. */
  readonly filter: FilterGroup
  /** Base of relative days, `YYYY-MM-DD`. */
  readonly today: string
}

export interface TileQuery extends TileRows {
  readonly measure: Measure
  readonly group: GroupBy | undefined
  readonly stack: GroupBy | undefined
  /** Offsets of the workspace's zone, for grouping moments by days. */
  readonly shifts: readonly ZoneShift[]
  /** Groups and parts beyond these are the rest. */
  readonly groupsMax: number
  readonly partsMax: number
}

/** A group, or a part of one, with its value. */
export interface TileRow {
  /** NULL: no value, or the rest. */
  readonly k: FieldValue
  /** 1 for the rest. */
  readonly ko: number
  readonly kl: FieldValue
  readonly s: FieldValue
  readonly so: number
  readonly sl: FieldValue
  /** Number of records. */
  readonly n: number
  readonly v: number | null
  /** Number of groups and parts, with those of the rest. */
  readonly groups: number
  readonly parts: number
}

/** Returns ` where …` over the table named `t`, or nothing. */
export function tileWhereSql({ fields, filter, today }: TileRows, only?: SqlPart): SqlPart {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const own = filterSql(filter, { fields: byName, today })
  const parts = [...(own.text === '' ? [] : [{ ...own, text: `(${own.text})` }]), ...(only ? [only] : [])]
  if (parts.length === 0) return { text: '', values: [] }
  return {
    text: ` where ${parts.map(({ text }) => text).join(' and ')}`,
    values: parts.flatMap(({ values }) => values),
  }
}

/** Calculates one number over all rows of a tile: `n` records, and the value `v`. */
export function numberSql(query: TileRows & { readonly measure: Measure }): SqlPart {
  const { measure } = query
  const where = tileWhereSql(query)
  const value = mergeSql(measure, cellValue(measure), `count(${numberColumn(measure)})`, 'count(*)')
  return { text: `select count(*) as n, ${value} as v from ${tableSql(query)}${where.text}`, values: where.values }
}

/**
 * Calculates the groups of a tile, and in a stacked one their parts. The largest keep their own rows; the others are one row, the rest. Of dates, the latest are kept.
 */
export function groupsSql(query: TileQuery): SqlPart {
  const { group, stack, measure } = query
  if (!group) throw new Error('a tile with groups has a field to group by')
  const where = tileWhereSql(query)
  const [key, part] = [
    keySql(group, query.shifts),
    stack ? keySql(stack, query.shifts) : { key: 'null', label: 'null' },
  ]
  const merged = mergeSql(measure, AGAIN[measure.kind], 'sum(f)', 'sum(n)')
  const places = (name: string, of: GroupBy | undefined): string =>
    `select ${name}, row_number() over (order by ${rankSql(name, of)}) as place, count(*) over () as total
       from (select ${name}, ${merged} as m from cells group by ${name})`
  return {
    text: `with cells as materialized (
        select ${key.key} as k, min(${key.label}) as kl, ${part.key} as s, min(${part.label}) as sl,
               count(*) as n, count(${numberColumn(measure)}) as f, ${cellValue(measure)} as v
          from ${tableSql(query)}${where.text} group by 1, 3),
      ks as materialized (${places('k', group)}),
      ss as materialized (${places('s', stack)}),
      joined as (
        select iif(ks.place <= ?, c.k, null) as k, ks.place > ? as ko, iif(ss.place <= ?, c.s, null) as s, ss.place > ? as so,
               c.kl, c.sl, c.n, c.f, c.v, ks.total as groups, ss.total as parts
          from cells c join ks on ks.k is c.k join ss on ss.s is c.s)
      select k, ko, ${labelOf(group, 'k')} as kl, s, so, ${labelOf(stack, 's')} as sl, n, v, groups, parts
        from (select k, ko, min(kl) as kl, s, so, min(sl) as sl, sum(n) as n, ${merged} as v, max(groups) as groups, max(parts) as parts
                from joined group by k, ko, s, so)`,
    values: [...where.values, query.groupsMax, query.groupsMax, query.partsMax, query.partsMax],
  }
}

/** Selects the first and the last year of a moment, to know which offsets of the zone are needed. */
export function yearsSql(query: TileRows, field: Field): SqlPart {
  const column = `t.${quoteName(field.name)}`
  const where = tileWhereSql(query, { text: `${column} glob '[0-9][0-9][0-9][0-9]-*'`, values: [] })
  return {
    text: `select min(substr(${column}, 1, 4)) as first, max(substr(${column}, 1, 4)) as last from ${tableSql(query)}${where.text}`,
    values: where.values,
  }
}

/** Whether a field stores moments that belong to different days in different zones. */
export function hasZone({ kind, column }: Field): boolean {
  return kind === 'datetime' && column.type.includes('with time zone')
}

/**
 * Returns the key of a row's group, and a text that names it. NULL for a row without a value. Texts that differ only in the case of ASCII letters are one group, because a filter finds
 * both.
 */
export function keySql(
  { field, by }: GroupBy,
  shifts: readonly ZoneShift[],
): { readonly key: string; readonly label: string } {
  const column = `t.${quoteName(field.name)}`
  if (field.kind === 'date' || field.kind === 'datetime')
    return { key: bucketSql(field, column, by ?? 'month', shifts), label: 'null' }
  const filled = field.column.local === 'text' ? `nullif(${column}, '')` : column
  if (isTextual(field.kind)) return { key: `lower(${filled})`, label: filled }
  return { key: filled, label: 'null' }
}

/** Values that are no ordinary days, such as `infinity`, are groups of their own. */
function bucketSql(field: Field, column: string, step: DateStep, shifts: readonly ZoneShift[]): string {
  const moment = `substr(${column}, 1, 19)`
  const day = hasZone(field) ? `date(${moment}, ${shiftSql(moment, shifts)})` : `substr(${column}, 1, 10)`
  const first = firstDaySql(step, day)
  const shape = field.kind === 'date' ? DAY : `${DAY}*`
  return `case when ${column} glob '${shape}' then ${first} else nullif(${column}, '') end`
}

const DAY = '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'

function firstDaySql(step: DateStep, day: string): string {
  switch (step) {
    case 'day':
      return day
    case 'week':
      return `date(${day}, '-6 days', 'weekday 1')`
    case 'month':
      return `substr(${day}, 1, 7) || '-01'`
    case 'quarter':
      return `substr(${day}, 1, 5) || substr('01040710', (cast(substr(${day}, 6, 2) as integer) - 1) / 3 * 2 + 1, 2) || '-01'`
    case 'year':
      return `substr(${day}, 1, 4) || '-01-01'`
    default:
      return step satisfies never
  }
}

/** Orders groups by whether they keep their own row. */
function rankSql(name: string, of: GroupBy | undefined): string {
  if (of === undefined) return name
  const isDate = of.field.kind === 'date' || of.field.kind === 'datetime'
  return isDate ? `${name} desc nulls first` : `abs(m) desc nulls last, ${name} nulls last`
}

function labelOf(of: GroupBy | undefined, name: 'k' | 's'): string {
  return of?.field.link?.titleColumn === undefined ? `${name}l` : labelSql(of.field, name)
}

function numberColumn({ field }: Measure): string {
  if (!field) return '*'
  const column = `t.${quoteName(field.name)}`
  return field.column.local === 'text' ? `cast(nullif(${column}, '') as real)` : column
}

/** Returns the part of a value over the rows of one cell. */
function cellValue({ kind, field }: Measure): string {
  const number = numberColumn({ kind, field })
  return kind === 'count' ? 'null' : `${kind === 'average' ? 'sum' : kind}(${number})`
}

const AGAIN = { count: 'null', sum: 'sum(v)', average: 'sum(v)', min: 'min(v)', max: 'max(v)' } as const

/** Returns a value from its parts. */
function mergeSql({ kind }: Measure, value: string, filled: string, rows: string): string {
  if (kind === 'count') return rows
  return kind === 'average' ? `${value} * 1.0 / nullif(${filled}, 0)` : value
}
