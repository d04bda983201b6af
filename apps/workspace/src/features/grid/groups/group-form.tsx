import type { JSX } from 'react'
import { Button } from '../../../components/button.tsx'
import { Select } from '../../../components/select.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { filterMessages } from '../../../messages/filter.ts'
import { groupMessages as words } from '../../../messages/groups.ts'
import { renderSorts, type Sort } from '../query/sort.ts'
import { canGroupBy, GROUP_LEVELS_MAX, parseGroups } from './parse-groups.ts'

const NONE = ''

export interface GroupProps {
  readonly fields: readonly Field[]
  /** The groups in URL form. */
  readonly text: string | undefined
  readonly onChange: (text: string | undefined) => void
  readonly onToggleAll: (isExpanded: boolean) => void
}

/** Chooses the fields that a view is grouped by, and the order of the groups. */
export function GroupForm({ fields, text, onChange, onToggleAll }: GroupProps): JSX.Element {
  const sorts = parseGroups(text ?? '', fields)
  const set = (index: number, sort: Sort | undefined): void =>
    onChange(renderSorts([...sorts.slice(0, index), ...(sort ? [sort] : []), ...sorts.slice(index + 1)]))
  const offered = fields.filter((field) => canGroupBy(field) && !field.isTitle)
  return (
    <div className="flex flex-col gap-3">
      {Array.from({ length: Math.min(GROUP_LEVELS_MAX, sorts.length + 1) }, (_, index) => {
        const sort = sorts[index]
        return (
          <div key={index} className="flex items-end gap-2">
            <Select
              label={index === 0 ? words.groupBy : words.thenBy}
              className="min-w-0 flex-1"
              value={sort?.field ?? NONE}
              options={[
                { value: NONE, label: words.nothing },
                ...offered
                  .filter(({ name }) => name === sort?.field || !sorts.some(({ field }) => field === name))
                  .map(({ name, label }) => ({ value: name, label })),
              ]}
              onChange={(field) =>
                set(index, field === NONE ? undefined : { field, isDescending: sort?.isDescending ?? false })
              }
            />
            {sort ? (
              <Select
                label={words.order}
                isLabelHidden
                className="w-36"
                value={sort.isDescending ? 'desc' : 'asc'}
                options={[
                  { value: 'asc', label: filterMessages.ascending },
                  { value: 'desc', label: filterMessages.descending },
                ]}
                onChange={(order) => set(index, { ...sort, isDescending: order === 'desc' })}
              />
            ) : null}
          </div>
        )
      })}
      {sorts.length > 0 ? (
        <div className="flex gap-2">
          <Button size="sm" onPress={() => onToggleAll(false)}>
            {words.collapseAll}
          </Button>
          <Button size="sm" onPress={() => onToggleAll(true)}>
            {words.expandAll}
          </Button>
        </div>
      ) : null}
    </div>
  )
}
