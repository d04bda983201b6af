import { Plus, X } from 'lucide-react'
import { type JSX, useState } from 'react'
import { FILTER_OPERATORS, type FilterOperator, type RowFilter } from '@holdfast/protocol'
import { Button, IconButton, Select, TextField } from '@holdfast/workspace'

const OPERATOR_LABELS: Readonly<Record<FilterOperator, string>> = {
  equals: '=',
  not_equals: '≠',
  less: '<',
  at_most: '≤',
  greater: '>',
  at_least: '≥',
  contains: 'contains',
  starts_with: 'starts with',
  includes: 'includes (@>)',
  is_null: 'is null',
  is_not_null: 'is not null',
}

const OPERATORS = FILTER_OPERATORS.map((value) => ({ value, label: OPERATOR_LABELS[value] }))

const FILTERS_MAX = 10

/** The filters of a list, and a form that adds one. */
export function FilterBar({
  columns,
  filters,
  onChange,
}: {
  readonly columns: readonly string[]
  readonly filters: readonly RowFilter[]
  readonly onChange: (filters: readonly RowFilter[]) => void
}): JSX.Element {
  const [isAdding, setAdding] = useState(false)
  return (
    <div className="flex flex-wrap items-end gap-2">
      {filters.map((filter, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- filters have a place only
        <span
          key={at}
          className="inline-flex h-8 items-center gap-1 rounded-md border border-border bg-raised pl-2.5 text-small"
        >
          <span className="max-w-72 truncate">
            {filter.column} {OPERATOR_LABELS[filter.operator]} {filter.value === undefined ? '' : `“${filter.value}”`}
          </span>
          <IconButton
            label={`Remove the filter of ${filter.column}`}
            size="sm"
            icon={<X size={14} aria-hidden />}
            onPress={() => onChange(filters.filter((_filter, other) => other !== at))}
          />
        </span>
      ))}
      {isAdding ? (
        <AddFilter
          columns={columns}
          onClose={() => setAdding(false)}
          onAdd={(filter) => {
            onChange([...filters, filter])
            setAdding(false)
          }}
        />
      ) : (
        <Button
          size="sm"
          icon={<Plus size={14} aria-hidden />}
          isDisabled={filters.length >= FILTERS_MAX || columns.length === 0}
          onPress={() => setAdding(true)}
        >
          Filter
        </Button>
      )}
    </div>
  )
}

function AddFilter({
  columns,
  onAdd,
  onClose,
}: {
  readonly columns: readonly string[]
  readonly onAdd: (filter: RowFilter) => void
  readonly onClose: () => void
}): JSX.Element {
  const [column, setColumn] = useState(columns[0] ?? '')
  const [operator, setOperator] = useState<FilterOperator>('equals')
  const [value, setValue] = useState('')
  const hasValue = operator !== 'is_null' && operator !== 'is_not_null'
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onAdd({ column, operator, ...(hasValue && { value }) })
      }}
    >
      <Select
        label="Column"
        options={columns.map((name) => ({ value: name, label: name }))}
        value={column}
        onChange={setColumn}
        className="w-44"
      />
      <Select
        label="Comparison"
        options={OPERATORS}
        value={operator}
        onChange={(chosen) => setOperator(FILTER_OPERATORS.find((one) => one === chosen) ?? 'equals')}
        className="w-36"
      />
      {hasValue ? <TextField label="Value" value={value} onChange={setValue} className="w-44" /> : null}
      <Button type="submit" tone="primary">
        Add
      </Button>
      <Button onPress={onClose}>Cancel</Button>
    </form>
  )
}
