import { ArrowDownUp } from 'lucide-react'
import type { JSX } from 'react'
import { lateContent } from '../../../components/late-content.tsx'
import { gridMessages as words } from '../../../messages/grid.ts'
import type { SortProps } from './sort-form.tsx'
import { ToolPopover } from './tool-popover.tsx'

export const sortForm = lateContent<SortProps>(async () => (await import('./sort-form.tsx')).SortForm)

/** The view's order: up to five fields, each with its direction. */
export function SortPopover(props: SortProps): JSX.Element {
  const { sorts } = props
  return (
    <ToolPopover
      label={sorts.length === 0 ? words.sort : words.sortCount(sorts.length)}
      text={words.sort}
      count={sorts.length}
      icon={<ArrowDownUp size={16} aria-hidden />}
      className="w-[26rem]"
    >
      <sortForm.Content {...props} />
    </ToolPopover>
  )
}
