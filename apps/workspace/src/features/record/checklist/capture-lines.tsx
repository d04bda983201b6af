import { Link } from '@tanstack/react-router'
import { ChevronRight, FilePen } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
import { TableIcon } from '../../../components/table-icon.tsx'
import type { DraftPlace } from '../../../lib/checklists/run-draft.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { workMessages } from '../../../messages/work.ts'

export function Section({
  title,
  onMore,
  children,
}: {
  readonly title: string
  /** Set if there are more lines. */
  readonly onMore?: (() => void) | undefined
  readonly children: ReactNode
}): JSX.Element {
  return (
    <section aria-label={title}>
      <h2 className="pb-2 text-heading">{title}</h2>
      <ul className="flex flex-col gap-2">{children}</ul>
      {onMore === undefined ? null : (
        <Button className="mt-2" onPress={onMore}>
          {workMessages.showMore}
        </Button>
      )}
    </section>
  )
}

const lineClass =
  'focus-inset flex min-h-14 min-w-0 flex-1 items-center gap-3 rounded-lg border border-border bg-raised px-3 py-2 text-body text-text no-underline hover:bg-surface'

/** One item to continue, sized for a thumb in a glove. */
export function Line({
  workspace,
  table,
  to,
  title,
  detail,
  icon,
  after,
  action,
}: {
  readonly workspace: string
  readonly table: string
  readonly to: DraftPlace
  readonly title: string
  readonly detail?: string
  readonly icon: TableInfo | undefined
  readonly after?: ReactNode
  readonly action?: ReactNode
}): JSX.Element {
  const content = (
    <>
      {icon ? <TableIcon table={icon} /> : <FilePen size={18} aria-hidden className="text-muted" />}
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{title}</span>
        {detail === undefined ? null : <span className="block truncate text-small text-muted">{detail}</span>}
      </span>
      {after}
      <ChevronRight size={18} aria-hidden className="shrink-0 text-subtle" />
    </>
  )
  return (
    <li className="flex items-center gap-1">
      <PlaceLink {...{ workspace, table, to }}>{content}</PlaceLink>
      {action}
    </li>
  )
}

function PlaceLink({
  workspace: ws,
  table,
  to,
  children,
}: {
  readonly workspace: string
  readonly table: string
  readonly to: DraftPlace
  readonly children: ReactNode
}): JSX.Element {
  switch (to.kind) {
    case 'checklist':
    case 'start':
      return (
        <Link
          to="/w/$ws/t/$table/new"
          params={{ ws, table }}
          search={to.kind === 'start' ? { template: to.template, prefill: to.prefill } : { from: to.record }}
          className={lineClass}
        >
          {children}
        </Link>
      )
    case 'record':
      return (
        <Link to="/w/$ws/t/$table/r/$record" params={{ ws, table, record: to.record }} className={lineClass}>
          {children}
        </Link>
      )
    case 'view':
      return (
        <Link to="/w/$ws/t/$table/v/$view" params={{ ws, table, view: to.view }} className={lineClass}>
          {children}
        </Link>
      )
    default:
      return to satisfies never
  }
}
