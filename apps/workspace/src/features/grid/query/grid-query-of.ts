import type { Field } from '../../../lib/fields/field.ts'
import { completeFilter, type FilterGroup } from '../../../lib/filters/filter.ts'
import type { GridQuery } from './grid-query.ts'
import { parseSorts } from './sort.ts'

/** What can be asked of a table by a filter and an order as they stand in a view or an address: conditions that are not whole and unknown fields are left out. */
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
