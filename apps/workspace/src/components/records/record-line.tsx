import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'

/** A record in a home screen list: title, a line about it, and a trailing element. */
export function RecordLine({
  workspace,
  table,
  id,
  tab,
  before,
  title,
  detail,
  after,
}: {
  readonly workspace: string
  readonly table: string
  readonly id: string
  /** Tab of the record screen. */
  readonly tab?: string
  readonly before?: ReactNode
  readonly title: string
  readonly detail: ReactNode
  readonly after?: ReactNode
}): JSX.Element {
  return (
    <li className="border-b border-border/60">
      <Link
        to="/w/$ws/t/$table/r/$record"
        params={{ ws: workspace, table, record: id }}
        search={tab === undefined ? {} : { tab }}
        className="focus-inset flex min-h-10 items-center gap-3 rounded-sm px-1 py-1.5 text-text no-underline hover:bg-hover coarse:min-h-11"
      >
        {before}
        <span className="min-w-0 flex-1">
          <span className="block truncate">{title}</span>
          <span className="block truncate text-small text-muted">{detail}</span>
        </span>
        {after}
      </Link>
    </li>
  )
}
