import type { Field } from '../../../lib/fields/field.ts'
import type { FieldKind } from '../../../lib/fields/field-kind.ts'
import { parseAggregates } from '../query/aggregates.ts'
import type { GridQuery } from '../query/grid-query.ts'
import { parseSorts, type Sort } from '../query/sort.ts'
import { ViewGrouping } from './grouping.ts'

export const GROUP_LEVELS_MAX = 2

/** Kinds whose values are rarely shared, or have no name. */
const UNGROUPED: readonly FieldKind[] = ['binary', 'json', 'long_text', 'datetime', 'uuid']

export function canGroupBy({ kind }: Field): boolean {
  return !UNGROUPED.includes(kind)
}

/** `site_id,-state`: up to two fields, a minus turns the order of the groups round. */
export function parseGroups(text: string, fields: readonly Field[]): readonly Sort[] {
  return parseSorts(text)
    .filter((sort, index, all) => {
      const field = fields.find(({ name }) => name === sort.field)
      return field && canGroupBy(field) && all.findIndex((one) => one.field === sort.field) === index
    })
    .slice(0, GROUP_LEVELS_MAX)
}

/** Collapsed groups by view, until the page is closed: they are as they were when a person comes back from a record. */
const collapsedByView = new Map<string, Set<string>>()

/** The query with its rows grouped; as it is when the text names no field to group by. */
export function groupedQuery(query: GridQuery, text: string, aggregates: string | undefined): GridQuery {
  const sorts = parseGroups(text, query.fields)
  if (sorts.length === 0) return query
  const view = `${query.table} ${text}`
  const collapsed = collapsedByView.get(view) ?? new Set<string>()
  collapsedByView.set(view, collapsed)
  return { ...query, grouping: new ViewGrouping(sorts, parseAggregates(aggregates, query.fields), collapsed) }
}
