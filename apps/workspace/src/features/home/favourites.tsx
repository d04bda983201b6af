import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import { TableIcon } from '../../components/table-icon.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import type { FavouriteTarget } from '../../lib/records/favourites.ts'
import { useView } from '../../lib/views/use-views.ts'
import { favouriteMessages as words } from '../../messages/favourites.ts'

/** The user's favourite records and views. Those no longer on this device are left out. */
export function Favourites({
  targets,
  workspace,
}: {
  readonly targets: readonly FavouriteTarget[]
  readonly workspace: string
}): JSX.Element | null {
  if (targets.length === 0) return null
  return (
    <section aria-labelledby="home-favourites">
      <h2 id="home-favourites" className="pb-2 text-heading">
        {words.title}
      </h2>
      <ul className="flex flex-col">
        {targets.map((target) => (
          <FavouriteLine key={`${target.kind}/${target.table}/${target.id}`} target={target} workspace={workspace} />
        ))}
      </ul>
    </section>
  )
}

function FavouriteLine({
  target,
  workspace,
}: {
  readonly target: FavouriteTarget
  readonly workspace: string
}): JSX.Element | null {
  const table = useTableInfo(target.table)
  if (!table) return null
  const Line = target.kind === 'view' ? ViewLine : RecordFavourite
  return <Line table={table} id={target.id} workspace={workspace} />
}

interface LineProps {
  readonly table: TableInfo
  readonly id: string
  readonly workspace: string
}

function ViewLine({ table, id, workspace }: LineProps): JSX.Element | null {
  const { view } = useView(table.name, id)
  if (!view) return null
  return (
    <li className="border-b border-border/60">
      <Link to="/w/$ws/t/$table/v/$view" params={{ ws: workspace, table: table.name, view: id }} className={lineClass}>
        <Named table={table} detail={table.label}>
          {view.name}
        </Named>
      </Link>
    </li>
  )
}

function RecordFavourite({ table, id, workspace }: LineProps): JSX.Element | null {
  const { title, isHere } = useRecordTitle(table, id)
  if (!isHere) return null
  return (
    <li className="border-b border-border/60">
      <Link
        to="/w/$ws/t/$table/r/$record"
        params={{ ws: workspace, table: table.name, record: id }}
        className={lineClass}
      >
        <Named table={table} detail={undefined}>
          {title}
        </Named>
      </Link>
    </li>
  )
}

function Named({
  table,
  detail,
  children,
}: {
  readonly table: TableInfo
  readonly detail: string | undefined
  readonly children: ReactNode
}): JSX.Element {
  return (
    <>
      <TableIcon table={table} />
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {detail === undefined ? (
        <span className="sr-only">, {table.noun}</span>
      ) : (
        <span className="shrink-0 text-small text-muted">{detail}</span>
      )}
    </>
  )
}

const lineClass =
  'focus-inset flex min-h-10 items-center gap-3 rounded-sm px-1 py-1.5 text-text no-underline hover:bg-hover coarse:min-h-11'
