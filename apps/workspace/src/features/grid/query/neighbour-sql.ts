import { tableSql } from '../../../lib/fields/table-sql.ts'
import type { SqlPart } from '../../../lib/sql.ts'
import type { Sort } from './sort.ts'
import { groupKeys, type GridQuery, ID_KEY, orderKeys, type OrderKey, whereSql } from './grid-query.ts'

/**
 * Selects the records before and after one in a view's order, as one row of `previous` and `next`; NULL at the ends. The record itself may have left the view.
 * Each side takes a few look-ups by the sort keys, each stopping at its first row. With an index on the first key, they read only a few rows of any table.
 *
 * @param groups - fields that the view is grouped by
 */
export function neighbourSql(query: GridQuery, id: string, groups: readonly Sort[] = []): SqlPart {
  const keys = [...groupKeys(query, groups), ...orderKeys(query)]
  const place = keys.map(({ key }, level) => `${key} as k${level}`).join(', ')
  const previous = sideSql(query, keys, true)
  const next = sideSql(query, keys, false)
  return {
    text: `with place as (select ${place} from ${tableSql(query)} where t.id = ?)
      select coalesce(${previous.text}, null) as previous, coalesce(${next.text}, null) as next`,
    values: [id, ...previous.values, ...next.values],
  }
}

/** Selects one side. Records that share all keys but the last are nearest, so they are looked up first. */
function sideSql(query: GridQuery, keys: readonly OrderKey[], isBefore: boolean): SqlPart {
  const looks = keys.flatMap((_, level) => looksSql(query, keys, level, isBefore)).toReversed()
  return { text: looks.map(({ text }) => text).join(', '), values: looks.flatMap(({ values }) => values) }
}

/** Returns the look-ups for records that share the keys before a level and differ at it, farther ones first. */
function looksSql(query: GridQuery, keys: readonly OrderKey[], level: number, isBefore: boolean): readonly SqlPart[] {
  const at = keys[level]
  if (!at) return []
  const here = valueOf(level)
  const isGreater = at.isDescending === isBefore
  const rest = keys.slice(level)
  const nearest = lookSql(query, keys, level, `${at.key} ${isGreater ? '>' : '<'} ${here}`, orderTerms(rest, isBefore))
  if (at.key === ID_KEY) return [nearest]
  // NULLs come last in both directions. Whether a side can have NULLs is decided here, not per row.
  const other = isBefore
    ? lookSql(query, keys, level, `${at.key} is not null`, orderTerms(rest, isBefore))
    : lookSql(query, keys, level, `${at.key} is null`, orderTerms(rest, isBefore).slice(1))
  return [{ ...other, text: `case when ${here} is ${isBefore ? '' : 'not '}null then ${other.text} end` }, nearest]
}

function lookSql(
  query: GridQuery,
  keys: readonly OrderKey[],
  level: number,
  condition: string,
  order: readonly string[],
): SqlPart {
  const shared = keys.slice(0, level).map(({ key }, above) => `${key} is ${valueOf(above)}`)
  const where = whereSql(query, { text: [...shared, condition].join(' and '), values: [] })
  return {
    text: `(select t.id from ${tableSql(query)}${where.text} order by ${order.join(', ')} limit 1)`,
    values: where.values,
  }
}

function valueOf(level: number): string {
  return `(select k${level} from place)`
}

/** Returns the ORDER BY terms. The first key needs no NULLS clause: it is either always or never NULL, and without the clause SQLite can use an index. */
function orderTerms(keys: readonly OrderKey[], isBefore: boolean): readonly string[] {
  return keys.map(({ key, isDescending }, place) => {
    const empty = place === 0 || key === ID_KEY ? '' : ` nulls ${isBefore ? 'first' : 'last'}`
    return `${key} ${isDescending === isBefore ? 'asc' : 'desc'}${empty}`
  })
}
