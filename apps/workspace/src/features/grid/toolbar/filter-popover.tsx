import { Filter } from 'lucide-react'
import type { JSX } from 'react'
import { lateContent } from '../../../components/late-content.tsx'
import { countConditions } from '../../../lib/filters/filter.ts'
import { gridMessages as words } from '../../../messages/grid.ts'
import type { FilterProps } from '../../../components/filter/filter-form.tsx'
import { ToolPopover } from './tool-popover.tsx'

export const filterForm = lateContent<FilterProps>(
  async () => (await import('../../../components/filter/filter-form.tsx')).FilterForm,
)

/** The conditions of the view. */
export function FilterPopover({ fields, filter, onChange }: FilterProps): JSX.Element {
  const usable = fields.filter(({ kind }) => kind !== 'binary')
  const count = countConditions(filter)
  return (
    <ToolPopover
      label={count === 0 ? words.filter : words.filterCount(count)}
      text={words.filter}
      count={count}
      icon={<Filter size={16} aria-hidden />}
      className="w-[44rem]"
    >
      <filterForm.Content fields={usable} filter={filter} onChange={onChange} />
    </ToolPopover>
  )
}
