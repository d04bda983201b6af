import type { Field } from '../../../lib/fields/field.ts'
import { completeFilter, type FilterGroup } from '../../../lib/filters/filter.ts'
import type { GridQuery } from './grid-query.ts'
import { parseSorts } from './sort.ts'

/** Builds a query from a view's or URL's filter and order. Leaves out incomplete conditions and unknown fields. */
export function gridQueryOf({
  table,
  fields,
  search,
  filter,
  sort,
  today,
}: {
  readonly table: string
  readonly fields: readonly Field[]
  readonly search: string
  readonly filter: FilterGroup
  readonly sort: string | undefined
  readonly today: string
}): GridQuery {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return {
    table,
    fields,
    search,
    filter: completeFilter(filter, byName),
    sorts: parseSorts(sort).filter((one) => byName.has(one.field)),
    today,
  }
}
