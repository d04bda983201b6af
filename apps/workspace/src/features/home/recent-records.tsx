import { useTables } from '../../lib/data/use-tables.tsx'
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { TableIcon } from '../../components/table-icon.tsx'
import { type RecentRecord, useRecentRecords } from '../../lib/data/recent.ts'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { formatAgo } from '../../lib/format.ts'
import { homeMessages as words } from '../../messages/home.ts'

const SHOWN = 8

/** Records opened last on this device. Those no longer here are left out. */
export function RecentRecords({ workspace }: { readonly workspace: string }): JSX.Element | null {
  const tables = useTables()
  const recent = useRecentRecords(SHOWN)
  if (recent.length === 0) return null
  return (
    <section aria-labelledby="home-recent">
      <h2 id="home-recent" className="pb-2 text-heading">
        {words.recent}
      </h2>
      <ul className="flex flex-col">
        {recent.map((entry) => {
          const table = tables.find(({ name }) => name === entry.table)
          return table ? (
            <RecentLine key={`${entry.table}/${entry.recordId}`} workspace={workspace} entry={entry} table={table} />
          ) : null
        })}
      </ul>
    </section>
  )
}

function RecentLine({
  workspace,
  entry,
  table,
}: {
  readonly workspace: string
  readonly entry: RecentRecord
  readonly table: TableInfo
}): JSX.Element | null {
  const { title, isHere } = useRecordTitle(table, entry.recordId)
  if (!isHere) return null
  return (
    <li className="border-b border-border/60">
      <Link
        to="/w/$ws/t/$table/r/$record"
        params={{ ws: workspace, table: entry.table, record: entry.recordId }}
        className="focus-inset flex min-h-10 items-center gap-3 rounded-sm px-1 py-1.5 text-text no-underline hover:bg-hover coarse:min-h-11"
      >
        <TableIcon table={table} />
        <span className="min-w-0 flex-1 truncate">{title}</span>
        <span className="shrink-0 text-small text-muted">
          <span className="sr-only">{table.noun}, </span>
          {formatAgo(entry.at)}
        </span>
      </Link>
    </li>
  )
}
