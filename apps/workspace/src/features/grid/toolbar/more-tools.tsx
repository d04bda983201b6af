import { Download, Palette, Rows3 } from 'lucide-react'
import type { JSX } from 'react'
import { lateContent } from '../../../components/late-content.tsx'
import { exportMessages } from '../../../messages/export.ts'
import { lookMessages as words } from '../../../messages/look.ts'
import type { ExportProps } from '../export/export-form.tsx'
import type { GroupProps } from '../groups/group-form.tsx'
import { parseSorts } from '../query/sort.ts'
import type { LookProps } from './look-form.tsx'
import { ToolPopover } from './tool-popover.tsx'

const groupForm = lateContent<GroupProps>(async () => (await import('../groups/group-form.tsx')).GroupForm)
const lookForm = lateContent<LookProps>(async () => (await import('./look-form.tsx')).LookForm)

const exportForm = lateContent<ExportProps>(async () => (await import('../export/export-form.tsx')).ExportForm)

export interface MoreToolsProps extends ExportProps {
  /** Only grids and lists can be grouped. */
  readonly group: GroupProps | undefined
  /** Only for grids. */
  readonly look: LookProps | undefined
}

/** The less used tools: grouping, appearance and export. */
export function MoreTools({ group, look, ...exported }: MoreToolsProps): JSX.Element {
  const levels = parseSorts(group?.text).length
  const looks = [look?.height, look?.freeze, look?.color].filter((text) => text !== undefined).length
  return (
    <>
      {group ? (
        <ToolPopover
          label={levels === 0 ? words.group : words.groupCount(levels)}
          text={words.group}
          count={levels}
          icon={<Rows3 size={16} aria-hidden />}
          className="w-[22rem]"
        >
          <groupForm.Content {...group} />
        </ToolPopover>
      ) : null}
      {look ? (
        <ToolPopover
          label={looks === 0 ? words.look : words.lookCount(looks)}
          text={words.look}
          count={looks}
          icon={<Palette size={16} aria-hidden />}
          className="w-[46rem]"
        >
          <lookForm.Content {...look} />
        </ToolPopover>
      ) : null}
      <ToolPopover
        label={exportMessages.title}
        text={exportMessages.title}
        count={0}
        icon={<Download size={16} aria-hidden />}
        className="w-80"
      >
        <exportForm.Content {...exported} />
      </ToolPopover>
    </>
  )
}
