import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import type { FilterGroup } from '../../lib/filters/filter.ts'
import { parseFilter } from '../../lib/filters/filter-text.ts'
import type { SqlPart } from '../../lib/sql.ts'
import type { SavedView } from '../../lib/views/use-views.ts'
import { tableSql } from '../../lib/fields/table-sql.ts'
import { gridQueryOf } from './query/grid-query-of.ts'
import { tablesOfQuery, whereSql } from './query/grid-query.ts'

/** Limit of a view's count in the side bar. */
export const VIEW_COUNT_MAX = 999

export interface ViewCountQuery {
  readonly sql: SqlPart
  /** Tables whose changes can change the count. */
  readonly tables: readonly string[]
}

/**
 * Returns the query that counts a view's records, up to one more than {@link VIEW_COUNT_MAX}. `undefined` where a count beside the view would say nothing or cost
 * too much: forms, views that leave no record out, and filters on computed fields, which read other tables per record.
 */
export function viewCountQuery(
  table: TableInfo,
  { type, settings }: Pick<SavedView, 'type' | 'settings'>,
  fields: readonly Field[],
  today: string,
): ViewCountQuery | undefined {
  if (type === 'form') return undefined
  const query = gridQueryOf({
    table: table.name,
    fields,
    search: '',
    filter: parseFilter(settings.filter),
    sort: undefined,
    today,
  })
  const named = fieldsIn(query.filter)
  if (named.size === 0) return undefined
  if (fields.some(({ name, computed }) => computed && named.has(name))) return undefined
  const where = whereSql(query, undefined, true)
  return {
    sql: {
      text: `select count(*) as rows from (select 1 from ${tableSql({ table: table.name, fields: [] })}${where.text} limit ${String(VIEW_COUNT_MAX + 1)})`,
      values: where.values,
    },
    tables: tablesOfQuery({ ...query, fields: fields.filter(({ name }) => named.has(name)) }),
  }
}

function fieldsIn(group: FilterGroup): ReadonlySet<string> {
  return new Set(group.nodes.flatMap((node) => (node.kind === 'condition' ? [node.field] : [...fieldsIn(node)])))
}
