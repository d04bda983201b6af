import { useRecords } from '@holdfast/react'
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Disclosure } from '../../components/disclosure.tsx'
import { lateContent } from '../../components/late-content.tsx'
import { TableIcon } from '../../components/table-icon.tsx'
import { RecordStateMark } from '../../components/state-glyph.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { useTableCounts } from '../../lib/data/use-table-counts.ts'
import { formatCount } from '../../lib/format.ts'
import { canChange, useWorkspace } from '../../lib/records/use-workspace.ts'
import { homeMessages as words } from '../../messages/home.ts'
import { shellMessages } from '../../messages/shell.ts'

const NoTables = lateContent(async () => (await import('./no-tables.tsx')).NoTables)

/** The tables visible to this user, with their rows on this device and unsent changes. */
export function TableList({ workspace }: { readonly workspace: string }): JSX.Element {
  const tables = useTables()
  const counts = useTableCounts()
  const waiting = useWaitingPerTable()
  const own = useWorkspace()
  const supporting = tables.filter(({ isSupporting }) => isSupporting)
  return (
    <section aria-labelledby="home-tables">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 pb-2">
        <h2 id="home-tables" className="text-heading">
          {words.tables}
        </h2>
        {own && canChange(own) && tables.length > 0 ? (
          <p className="flex flex-wrap gap-x-4 text-small">
            <Link to="/w/$ws/new-table" params={{ ws: workspace }} className="coarse:py-2">
              {words.newTable}
            </Link>
            <Link to="/w/$ws/import" params={{ ws: workspace }} search={{ new: true }} className="coarse:py-2">
              {words.newTableFromFile}
            </Link>
            <Link to="/w/$ws/templates" params={{ ws: workspace }} className="coarse:py-2">
              {words.newTableFromTemplate}
            </Link>
          </p>
        ) : null}
      </div>
      {tables.length === 0 ? (
        <div className="rounded-lg border border-border">
          <NoTables.Content ws={workspace} />
        </div>
      ) : (
        <>
          <TableCards tables={tables.filter(({ isSupporting }) => !isSupporting)} {...{ workspace, counts, waiting }} />
          {supporting.length === 0 ? null : (
            <Disclosure title={shellMessages.moreTables}>
              <TableCards tables={supporting} {...{ workspace, counts, waiting }} />
            </Disclosure>
          )}
        </>
      )}
    </section>
  )
}

function TableCards({
  workspace,
  tables,
  counts,
  waiting,
}: {
  readonly workspace: string
  readonly tables: readonly TableInfo[]
  readonly counts: ReadonlyMap<string, number>
  readonly waiting: ReadonlyMap<string, number>
}): JSX.Element {
  return (
    <ul className="grid grid-cols-1 gap-2 tablet:grid-cols-2 wide:grid-cols-3">
      {tables.map((table) => {
        const count = counts.get(table.name)
        const unsent = waiting.get(table.name) ?? 0
        return (
          <li key={table.name} className="rounded-lg border border-border">
            <Link
              to="/w/$ws/t/$table"
              params={{ ws: workspace, table: table.name }}
              className="flex h-full min-h-14 rounded-lg items-center gap-3 px-4 py-2.5 text-text no-underline transition-colors hover:bg-hover"
            >
              <TableIcon table={table} size="lg" />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{table.label}</span>
                {table.description === undefined ? null : (
                  <span className="line-clamp-2 text-small text-muted">{table.description}</span>
                )}
              </span>
              {unsent > 0 ? (
                <span className="inline-flex items-center gap-1 text-small text-warning tabular-nums">
                  <RecordStateMark state="waiting" /> {words.unsent(unsent)}
                </span>
              ) : null}
              <span className="text-small text-muted tabular-nums">
                {count === undefined ? '' : formatCount(count)}
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

/** Returns the number of records with unsent changes per table, from the outbox. */
function useWaitingPerTable(): ReadonlyMap<string, number> {
  const { rows } = useRecords<{ readonly name: string; readonly records: number }>(
    `select data ->> '$.type' as name, count(distinct data ->> '$.id') as records from ps_crud group by 1`,
  )
  return new Map(rows.map(({ name, records }) => [name, records]))
}
