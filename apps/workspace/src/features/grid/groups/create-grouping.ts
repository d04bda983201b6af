import { parseAggregates } from '../query/aggregates.ts'
import type { GridQuery } from '../query/grid-query.ts'
import { ViewGrouping } from './grouping.ts'
import { parseGroups } from './parse-groups.ts'

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
