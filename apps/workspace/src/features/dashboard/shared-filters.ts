import type { DashboardFilter } from '@holdfast/protocol'
import type { Condition, FilterGroup } from '../../lib/filters/filter.ts'
import { parseFilter, renderFilter } from '../../lib/filters/filter-text.ts'

/** The filters of a dashboard, and what is chosen in them. */
export interface SharedFilters {
  readonly filters: readonly DashboardFilter[]
  /** Conditions whose fields are ids of filters. */
  readonly chosen: FilterGroup
}

/** Reads the choices from the address. Those of filters that are gone are left out. */
export function readChosen(filters: readonly DashboardFilter[], text: string | undefined): SharedFilters {
  const { nodes } = parseFilter(text)
  const known = nodes.filter((node) => node.kind === 'condition' && filters.some(({ id }) => id === node.field))
  return { filters, chosen: { kind: 'all', nodes: known } }
}

export function conditionsOn({ chosen }: SharedFilters, id: string): readonly Condition[] {
  return chosen.nodes.filter((node): node is Condition => node.kind === 'condition' && node.field === id)
}

/** Returns the text for the address with other choices in one filter. */
export function withChosen(
  shared: SharedFilters,
  id: string,
  conditions: readonly Omit<Condition, 'kind' | 'field'>[],
): string | undefined {
  const others = shared.chosen.nodes.filter((node) => node.kind !== 'condition' || node.field !== id)
  const own = conditions.map((one): Condition => ({ kind: 'condition', field: id, ...one }))
  return renderFilter({ kind: 'all', nodes: [...others, ...own] })
}
