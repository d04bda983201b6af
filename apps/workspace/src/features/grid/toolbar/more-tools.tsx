import { Palette, Rows3 } from 'lucide-react'
import type { JSX } from 'react'
import { lateContent } from '../../../components/late-content.tsx'
import { Popover, PopoverTrigger } from '../../../components/popover.tsx'
import { lookMessages as words } from '../../../messages/look.ts'
import { type GroupProps } from '../groups/group-form.tsx'
import { parseSorts } from '../query/sort.ts'
import type { LookProps } from './look-form.tsx'
import { ToolButton } from './tool-button.tsx'

const groupForm = lateContent<GroupProps>(async () => (await import('../groups/group-form.tsx')).GroupForm)
const lookForm = lateContent<LookProps>(async () => (await import('./look-form.tsx')).LookForm)

export interface MoreToolsProps {
  readonly group: GroupProps
  /** Only grids have one. */
  readonly look: LookProps | undefined
}

/** What fewer people change than filter and order: how the view is grouped, and how its grid looks. */
export function MoreTools({ group, look }: MoreToolsProps): JSX.Element {
  const levels = parseSorts(group.text).length
  const looks = [look?.height, look?.freeze, look?.color].filter((text) => text !== undefined).length
  return (
    <>
      <PopoverTrigger>
        <ToolButton
          label={levels === 0 ? words.group : words.groupCount(levels)}
          text={words.group}
          count={levels}
          icon={<Rows3 size={16} aria-hidden />}
        />
        <Popover label={words.group} placement="bottom start" className="w-[22rem] p-3">
          <groupForm.Content {...group} />
        </Popover>
      </PopoverTrigger>
      {look ? (
        <PopoverTrigger>
          <ToolButton
            label={looks === 0 ? words.look : words.lookCount(looks)}
            text={words.look}
            count={looks}
            icon={<Palette size={16} aria-hidden />}
          />
          <Popover label={words.look} placement="bottom start" className="w-[46rem] p-3">
            <lookForm.Content {...look} />
          </Popover>
        </PopoverTrigger>
      ) : null}
    </>
  )
}
