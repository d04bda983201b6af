import { Link } from '@tanstack/react-router'
import { House, PanelLeftClose, PanelLeftOpen, RefreshCw, Search, Table2 } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { Focusable } from 'react-aria-components/Focusable'
import { CountBadge } from '../../components/count-badge.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { VisuallyHidden } from '../../components/visually-hidden.tsx'
import { cx } from '../../lib/cx.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { formatCount } from '../../lib/format.ts'
import { shellMessages as words } from '../../messages/shell.ts'

export interface NavigationProps {
  readonly workspace: string
  readonly tables: readonly TableInfo[]
  /** Rows per table on this device; a table that has not been counted yet is absent. */
  readonly counts: ReadonlyMap<string, number>
  readonly attention: number
  readonly waiting: number
}

/** The navigation at the left of wide windows: 240 px, or 48 px with only the icons. */
export function SideBar({
  isNarrow,
  onNarrowChange,
  ...navigation
}: NavigationProps & {
  readonly isNarrow: boolean
  readonly onNarrowChange: (isNarrow: boolean) => void
}): JSX.Element {
  return (
    <aside
      className={cx(
        'hidden min-h-0 shrink-0 flex-col border-r border-border bg-surface laptop:flex',
        isNarrow ? 'w-12' : 'w-60',
      )}
    >
      <Navigation {...navigation} isNarrow={isNarrow} />
      <div className={cx('border-t border-border p-2', isNarrow && 'flex justify-center')}>
        <IconButton
          label={isNarrow ? words.expandSideBar : words.collapseSideBar}
          size="sm"
          icon={isNarrow ? <PanelLeftOpen size={18} aria-hidden /> : <PanelLeftClose size={18} aria-hidden />}
          onPress={() => onNarrowChange(!isNarrow)}
        />
      </div>
    </aside>
  )
}

/** Home, the tables with their counts, the Sync centre. Also the content of the drawer. */
export function Navigation({
  workspace,
  tables,
  counts,
  attention,
  waiting,
  isNarrow = false,
  onFollow,
}: NavigationProps & { readonly isNarrow?: boolean; readonly onFollow?: () => void }): JSX.Element {
  const params = { ws: workspace }
  const follow = onFollow === undefined ? {} : { onClick: onFollow }
  return (
    <nav aria-label={words.mainNavigation} className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto p-2">
      <ul className="flex flex-col gap-px">
        <li>
          <Item label={words.home} isNarrow={isNarrow}>
            <Link
              to="/w/$ws"
              params={params}
              activeOptions={{ exact: true }}
              className={itemClass(isNarrow)}
              {...follow}
            >
              <House size={18} strokeWidth={1.75} aria-hidden />
              <Word isNarrow={isNarrow}>{words.home}</Word>
            </Link>
          </Item>
        </li>
        <li>
          <Item label={words.search} isNarrow={isNarrow}>
            <Link to="/w/$ws/search" params={params} className={itemClass(isNarrow)} {...follow}>
              <Search size={18} strokeWidth={1.75} aria-hidden />
              <Word isNarrow={isNarrow}>{words.search}</Word>
            </Link>
          </Item>
        </li>
        <li>
          <Item label={words.syncCentre} isNarrow={isNarrow}>
            <Link to="/w/$ws/sync" params={params} className={itemClass(isNarrow)} {...follow}>
              <RefreshCw size={18} strokeWidth={1.75} aria-hidden />
              <Word isNarrow={isNarrow}>{words.syncCentre}</Word>
              {isNarrow ? null : attention > 0 ? (
                <CountBadge count={attention} tone="danger" />
              ) : waiting > 0 ? (
                <CountBadge count={waiting} />
              ) : null}
            </Link>
          </Item>
        </li>
      </ul>
      {isNarrow ? (
        <div className="mx-1 my-2 h-px bg-border" />
      ) : (
        <h2 className="px-2 pt-4 pb-1.5 text-small font-medium text-muted">{words.tables}</h2>
      )}
      {tables.length === 0 && !isNarrow ? <p className="px-2 text-small text-muted">{words.noTables}</p> : null}
      <ul className="flex flex-col gap-px">
        {tables.map((table) => (
          <li key={table.name}>
            <TableLink
              workspace={workspace}
              table={table}
              count={counts.get(table.name)}
              isNarrow={isNarrow}
              onFollow={onFollow}
            />
          </li>
        ))}
      </ul>
    </nav>
  )
}

function TableLink({
  workspace,
  table,
  count,
  isNarrow,
  onFollow,
}: {
  readonly workspace: string
  readonly table: TableInfo
  /** `undefined`: not counted yet. */
  readonly count: number | undefined
  readonly isNarrow: boolean
  readonly onFollow: (() => void) | undefined
}): JSX.Element {
  return (
    <Item label={table.label} isNarrow={isNarrow}>
      <Link
        to="/w/$ws/t/$table"
        params={{ ws: workspace, table: table.name }}
        className={itemClass(isNarrow)}
        {...(onFollow === undefined ? {} : { onClick: onFollow })}
      >
        {isNarrow ? (
          <span aria-hidden className="text-small font-semibold">
            {table.label.slice(0, 2)}
          </span>
        ) : (
          <Table2 size={16} strokeWidth={1.75} aria-hidden className="text-subtle" />
        )}
        <Word isNarrow={isNarrow}>{table.label}</Word>
        {isNarrow || count === undefined ? null : (
          <span className="text-small text-muted tabular-nums">
            {formatCount(count)}
            <VisuallyHidden> {count === 1 ? 'row' : 'rows'}</VisuallyHidden>
          </span>
        )}
      </Link>
    </Item>
  )
}

function Item({ label, isNarrow, children }: { label: string; isNarrow: boolean; children: JSX.Element }): JSX.Element {
  return isNarrow ? (
    <Tooltip text={label}>
      <Focusable>{children}</Focusable>
    </Tooltip>
  ) : (
    children
  )
}

function Word({ isNarrow, children }: { isNarrow: boolean; children: ReactNode }): JSX.Element {
  return isNarrow ? <VisuallyHidden>{children}</VisuallyHidden> : <span className="flex-1 truncate">{children}</span>
}

function itemClass(isNarrow: boolean): string {
  return cx(
    'focus-inset flex h-8 items-center gap-2.5 rounded-md text-body text-text no-underline transition-colors hover:bg-hover coarse:h-11',
    'aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent',
    isNarrow ? 'justify-center' : 'px-2',
  )
}
