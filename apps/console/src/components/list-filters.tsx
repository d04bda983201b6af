import type { JSX } from 'react'
import { SearchField, Select } from '@holdfast/workspace'

/** Search and state of a list, as its address has them. */
export interface ListFilter {
  readonly search?: string
  readonly state?: string
}

/** The state that does not narrow a list. */
const ALL = 'all'

/** Fields that narrow a list by a text and a state. */
export function ListFilters({
  searchLabel,
  allLabel,
  states,
  filter: { search = '', state = '' },
  onChange,
}: {
  readonly searchLabel: string
  /** Label of the choice that shows every state. */
  readonly allLabel: string
  readonly states: readonly { readonly value: string; readonly label: string }[]
  readonly filter: ListFilter
  readonly onChange: (change: ListFilter) => void
}): JSX.Element {
  return (
    <div className="flex flex-wrap gap-2 pb-4">
      <SearchField
        label={searchLabel}
        value={search}
        onChange={(value) => onChange({ search: value })}
        className="min-w-60 flex-1"
      />
      <Select
        label="State"
        isLabelHidden
        options={[{ value: ALL, label: allLabel }, ...states]}
        value={state === '' ? ALL : state}
        onChange={(value) => onChange({ state: value === ALL ? '' : value })}
        className="w-40"
      />
    </div>
  )
}
