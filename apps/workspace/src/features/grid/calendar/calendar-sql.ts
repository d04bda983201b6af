import { addDays } from '../../../lib/fields/dates.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import { quoteName, type SqlPart } from '../../../lib/sql.ts'
import { columnsSql, type GridQuery, orderSql, whereSql } from '../query/grid-query.ts'
import type { GridRow } from '../window-cache.ts'
import { boundOf, type DateFields } from './date-fields.ts'

/** A record on one of its days. */
export type Entry = GridRow & {
  readonly '#day': string
  /** Number of records on that day. */
  readonly '#total': number
}

/**
 * Selects the first records of each day and counts all of them. Other days are not read: one pass finds the records, by the field's index if there is one, and
 * only the shown records are read in full.
 *
 * @param days - the visible days in order
 */
export function entriesSql(
  query: GridQuery,
  { start, end }: DateFields,
  days: readonly string[],
  perDay: number,
): SqlPart {
  const from = `t.${quoteName(start.name)}`
  const to = end === undefined ? 'null' : `t.${quoteName(end.name)}`
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const bounds = days.map((day) => ({
    day,
    start: boundOf(start, day),
    stop: boundOf(start, addDays(day, 1)),
    end: end === undefined ? null : boundOf(end, day),
  }))
  const where = whereSql(query, {
    text: `${from} < ? and (${from} >= ?${end === undefined ? '' : ` or ${to} ${reaches(end.kind)} ?`})`,
    values: [
      boundOf(start, addDays(last, 1)),
      boundOf(start, first),
      ...(end === undefined ? [] : [boundOf(end, first)]),
    ],
  })
  const here = `select t.id, ${from} as start, ${to} as stop, row_number() over (order by ${orderSql(query)}) as place
                  from ${tableSql(query)}${where.text}`
  const isOn = `h.start < d.value ->> 'stop' and (h.start >= d.value ->> 'start'${
    end === undefined ? '' : ` or h.stop ${reaches(end.kind)} d.value ->> 'end'`
  })`
  return {
    text: `with here as materialized (${here}),
      placed as (
        select h.id, d.value ->> 'day' as day, count(*) over (partition by d.key) as total,
               row_number() over (partition by d.key order by h.start, h.place) as place
          from json_each(?) d join here h on ${isOn})
      select p.day as "#day", p.total as "#total", ${columnsSql({ ...query, rules: [] }).text}
        from placed p cross join ${tableSql(query)} on t.id = p.id
       where p.place <= ? order by p.day, p.place`,
    values: [...where.values, JSON.stringify(bounds), perDay],
  }
}

/** Returns the comparison with a record's end. An end date is inclusive; an end at midnight excludes the day that begins. */
function reaches(kind: string): '>=' | '>' {
  return kind === 'date' ? '>=' : '>'
}
