import type { RejectedChange } from '@holdfast/client'
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { StateGlyph } from '../state-glyph.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import { formatAgo, humanize } from '../../lib/format.ts'
import { workMessages as words } from '../../messages/work.ts'
import { verdictWords } from '../../lib/records/verdict-words.ts'

const SHOWN_MAX = 4

/** Rejected changes of this device, newest first, with reason and link to the decision. */
export function RefusedChanges({
  changes,
  workspace,
}: {
  readonly changes: readonly RejectedChange[]
  readonly workspace: string
}): JSX.Element {
  const newest = changes.toSorted((a, b) => b.at.localeCompare(a.at))
  return (
    <section aria-labelledby="home-refused">
      <h2 id="home-refused" className="flex items-center gap-2 pb-2 text-heading">
        <span className="flex text-danger">
          <StateGlyph name="triangle" size={16} />
        </span>
        {words.refused}
      </h2>
      <ul className="flex flex-col">
        {newest.slice(0, SHOWN_MAX).map((change) => (
          <RefusedLine key={change.id} change={change} workspace={workspace} />
        ))}
      </ul>
      {changes.length > SHOWN_MAX ? (
        <Link
          to="/w/$ws/sync"
          params={{ ws: workspace }}
          search={{ tab: 'attention' }}
          className="inline-flex min-h-8 items-center px-1 text-small coarse:min-h-11"
        >
          {words.allRefused(changes.length)}
        </Link>
      ) : null}
    </section>
  )
}

function RefusedLine({
  change,
  workspace,
}: {
  readonly change: RejectedChange
  readonly workspace: string
}): JSX.Element {
  const table = useTableInfo(change.table)
  const { title } = verdictWords(change.verdict)
  return (
    <li className="border-b border-border/60">
      <Link
        to="/w/$ws/sync/$item"
        params={{ ws: workspace, item: change.id }}
        className="focus-inset flex min-h-10 items-center gap-3 rounded-sm px-1 py-1.5 text-text no-underline hover:bg-hover coarse:min-h-11"
      >
        <span className="min-w-0 flex-1">
          {table ? <RefusedTitle table={table} change={change} /> : <span>{humanize(change.table)}</span>}
          <span className="block truncate text-small text-danger">{title}</span>
        </span>
        <span className="shrink-0 text-small text-muted">{formatAgo(new Date(change.at))}</span>
      </Link>
    </li>
  )
}

/** A record rejected on creation is not on this device; its title comes from the rejected values. */
function RefusedTitle({ table, change }: { readonly table: TableInfo; readonly change: RejectedChange }): JSX.Element {
  const { title, isHere } = useRecordTitle(table, change.recordId)
  const written = change.operations.findLast(({ type, id }) => type === change.table && id === change.recordId)?.data
  const named = table.titleColumn === undefined ? undefined : written?.[table.titleColumn]
  return <span className="block truncate">{isHere || named === undefined ? title : String(named)}</span>
}
