import { X } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../../components/button.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Select } from '../../../components/select.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { filterMessages as words } from '../../../messages/filter.ts'
import { gridMessages } from '../../../messages/grid.ts'
import { type Sort, SORTS_MAX } from '../query/sort.ts'

export interface SortProps {
  readonly fields: readonly Field[]
  readonly sorts: readonly Sort[]
  readonly onChange: (sorts: readonly Sort[]) => void
}

/** The fields that a view is sorted by, each with its direction. */
export function SortForm({ fields, sorts, onChange }: SortProps): JSX.Element {
  const set = (index: number, change: Partial<Sort>): void =>
    onChange(sorts.map((sort, at) => (at === index ? { ...sort, ...change } : sort)))
  const free = fields.filter(({ name, kind }) => kind !== 'binary' && !sorts.some((sort) => sort.field === name))
  const [next] = free
  return (
    <>
      {sorts.length === 0 ? <p className="pb-3 text-body text-muted">{words.noSorts}</p> : null}
      <ul className="flex flex-col gap-2">
        {sorts.map((sort, index) => (
          <li key={sort.field} className="flex items-end gap-2">
            <Select
              label={words.field}
              isLabelHidden
              className="min-w-0 flex-1"
              value={sort.field}
              options={fields
                .filter(({ name }) => name === sort.field || free.some((field) => field.name === name))
                .map(({ name, label }) => ({ value: name, label }))}
              onChange={(field) => set(index, { field })}
            />
            <Select
              label={gridMessages.sort}
              isLabelHidden
              className="w-36"
              value={sort.isDescending ? 'desc' : 'asc'}
              options={[
                { value: 'asc', label: words.ascending },
                { value: 'desc', label: words.descending },
              ]}
              onChange={(direction) => set(index, { isDescending: direction === 'desc' })}
            />
            <IconButton
              label={words.removeSort}
              icon={<X size={16} aria-hidden />}
              onPress={() => onChange(sorts.filter((_, at) => at !== index))}
            />
          </li>
        ))}
      </ul>
      <div className="flex gap-2 pt-3">
        {next && sorts.length < SORTS_MAX ? (
          <Button size="sm" onPress={() => onChange([...sorts, { field: next.name, isDescending: false }])}>
            {words.addSort}
          </Button>
        ) : null}
        {sorts.length > 0 ? (
          <Button size="sm" tone="quiet" onPress={() => onChange([])}>
            {words.clearSorts}
          </Button>
        ) : null}
      </div>
    </>
  )
}
