import { useHasSynced, useIncompleteTables } from '@holdfast/react'
import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { IconButton } from '../../../components/icon-button.tsx'
import { Menu, MenuTrigger } from '../../../components/menu.tsx'
import { StateGlyph } from '../../../components/state-glyph.tsx'
import type { FilterGroup } from '../../../lib/filters/filter.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { searchOf } from '../charts/mark-link.tsx'

export interface TileFrameProps {
  readonly title: string
  readonly workspace: string
  /** The table and filter that the title leads to; absent where it leads nowhere. */
  readonly records?: { readonly table: string; readonly filter: FilterGroup } | undefined
  /** Entries of the tile's menu. */
  readonly menu: ReactNode
  /** Renders the handles of a tile while the dashboard is edited. */
  readonly handles?: ReactNode
  readonly children: ReactNode
}

/** A tile's heading, with what is missing on this device, and its menu. */
export function TileFrame({ title, workspace, records, menu, handles, children }: TileFrameProps): JSX.Element {
  return (
    <>
      <header className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 pt-0.5 text-heading [overflow-wrap:anywhere]">
          {records ? (
            <Link
              to="/w/$ws/t/$table"
              params={{ ws: workspace, table: records.table }}
              search={searchOf(records.filter)}
              preload={false}
              className="rounded-sm text-text no-underline hover:underline"
            >
              {title}
            </Link>
          ) : (
            title
          )}
        </h2>
        {records ? <MissingMark workspace={workspace} table={records.table} /> : null}
        {handles}
        <MenuTrigger>
          <IconButton
            label={words.tileMenu(title)}
            size="sm"
            icon={<Ellipsis size={16} aria-hidden />}
            hasTooltip={false}
            className="-mt-1 -mr-1"
          />
          <Menu label={words.tileMenu(title)}>{menu}</Menu>
        </MenuTrigger>
      </header>
      {children}
    </>
  )
}

/** Says that figures are over a part of the records, because this device does not have all of them. */
function MissingMark({ workspace, table }: { readonly workspace: string; readonly table: string }): JSX.Element | null {
  const hasSynced = useHasSynced()
  const isIncomplete = useIncompleteTables().some((one) => one.table === table)
  if (hasSynced && !isIncomplete) return null
  const text = isIncomplete ? words.incomplete : words.arriving
  return (
    <Link
      to="/w/$ws/sync"
      params={{ ws: workspace }}
      search={isIncomplete ? { tab: 'attention' } : {}}
      title={text}
      className="flex items-center gap-1 pt-1 text-small text-warning no-underline"
    >
      <StateGlyph name="gap" size={14} />
      <span className="sr-only">{text}</span>
    </Link>
  )
}
