import { Link } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import type { JSX } from 'react'
import { buttonClass } from '../../../components/button.tsx'
import { useChecklists } from '../../../lib/checklists/use-checklists.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'

/** Links a record to its checklist, if its table has one. */
export function ChecklistLink({
  workspace,
  table,
  recordId,
}: {
  readonly workspace: string
  readonly table: string
  readonly recordId: string
}): JSX.Element | null {
  const checklists = useChecklists()
  if (!checklists?.some((checklist) => checklist.table === table)) return null
  return (
    <div className="border-b border-border px-4 py-3">
      <Link
        to="/w/$ws/t/$table/new"
        params={{ ws: workspace, table }}
        search={{ from: recordId }}
        className={buttonClass({ isFullWidth: true, className: 'h-11 no-underline coarse:h-14' })}
      >
        <ListChecks size={18} aria-hidden />
        {words.open}
      </Link>
    </div>
  )
}
