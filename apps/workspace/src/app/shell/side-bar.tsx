import { useHasSynced } from '@holdfast/react'
import { Link, useParams } from '@tanstack/react-router'
import { ChevronRight, House, Inbox, PanelLeftClose, PanelLeftOpen, RefreshCw, Search, Users } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Disclosure, DisclosurePanel } from 'react-aria-components/Disclosure'
import { CountBadge } from '../../components/count-badge.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { TableIcon } from '../../components/table-icon.tsx'
import { VisuallyHidden } from '../../components/visually-hidden.tsx'
import { useMediaQuery } from '../../hooks/use-media-query.ts'
import { cx } from '../../lib/cx.ts'
import { sectionsOf } from '../../lib/data/arrange-tables.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useWorkspaces } from '../../lib/data/use-workspaces.ts'
import { formatCount } from '../../lib/format.ts'
import { firstVisitMs, lazyAfterPaint } from '../../components/late-content.tsx'
import { firstOf, type SavedView } from '../../lib/views/use-views.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { viewMessages } from '../../messages/views.ts'
import type { DashboardLinksProps } from './dashboard-links.tsx'
import { Heading, Item, itemClass, Word } from './side-bar-item.tsx'

/** Loaded after paint, because on a first visit the tables come first. */
export const LateUnreadCount = lazyAfterPaint(
  async () => (await import('../../features/inbox/unread-count.tsx')).UnreadCount,
  firstVisitMs,
)

const LateViewCount = lazyAfterPaint(
  async () => (await import('../../features/grid/view-count.tsx')).ViewCount,
  firstVisitMs,
)

/** Loaded after paint, for the same reason, and below the tables, so that they do not move under the pointer. */
const LateDashboardLinks = lazyAfterPaint<DashboardLinksProps>(
  async () => (await import('./dashboard-links.tsx')).DashboardLinks,
  firstVisitMs,
)

/** Loaded after paint. Last in the list, so that nothing in it shifts. */
const LateAutomationsLink = lazyAfterPaint(
  async () => (await import('../../features/automations/automations-link.tsx')).AutomationsLink,
  firstVisitMs,
)

export interface NavigationProps {
  readonly workspace: string
  readonly tables: readonly TableInfo[]
  /** Rows per table on this device; absent for tables not counted yet. */
  readonly counts: ReadonlyMap<string, number>
  /** Saved views of all tables. */
  readonly views: readonly SavedView[]
  readonly attention: number
  readonly waiting: number
}

/** The navigation of wide windows: 240 px, or 48 px with only icons. Narrow windows do not render it, because phones need the time for rows. */
export function SideBar({
  isNarrow,
  onNarrowChange,
  ...navigation
}: NavigationProps & {
  readonly isNarrow: boolean
  readonly onNarrowChange: (isNarrow: boolean) => void
}): JSX.Element | null {
  if (!useMediaQuery('(min-width: 900px)')) return null
  return (
    <aside
      className={cx('flex min-h-0 shrink-0 flex-col border-r border-border bg-surface', isNarrow ? 'w-12' : 'w-60')}
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

/** Home, the tables with their counts, and the Sync centre. Also the content of the drawer. */
export function Navigation({
  workspace,
  tables,
  counts,
  views,
  attention,
  waiting,
  isNarrow = false,
  onFollow,
}: NavigationProps & { readonly isNarrow?: boolean; readonly onFollow?: () => void }): JSX.Element {
  const params = { ws: workspace }
  // The first sync needs the network.
  const hasSynced = useHasSynced()
  const isAmongPeople = useWorkspaces().workspaces.length > 0
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
          <Item label={words.inbox} isNarrow={isNarrow}>
            <Link to="/w/$ws/inbox" params={params} className={itemClass(isNarrow)} {...follow}>
              <Inbox size={18} strokeWidth={1.75} aria-hidden />
              <Word isNarrow={isNarrow}>{words.inbox}</Word>
              {isNarrow || !hasSynced ? null : <LateUnreadCount />}
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
        {isAmongPeople ? (
          <li>
            <Item label={words.people} isNarrow={isNarrow}>
              <Link to="/w/$ws/people" params={params} className={itemClass(isNarrow)} {...follow}>
                <Users size={18} strokeWidth={1.75} aria-hidden />
                <Word isNarrow={isNarrow}>{words.people}</Word>
              </Link>
            </Item>
          </li>
        ) : null}
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
        <LateAutomationsLink {...{ ws: workspace, isNarrow, onFollow, Item, Word }} className={itemClass(isNarrow)} />
      </ul>
      <TableLinks {...{ workspace, tables, counts, views, isNarrow, onFollow }} />
      {hasSynced ? <LateDashboardLinks {...{ workspace, isNarrow, onFollow }} /> : null}
    </nav>
  )
}

/** The tables under their headings. Supporting tables are collapsed unless one is open. */
function TableLinks({
  tables,
  ...rest
}: Pick<NavigationProps, 'workspace' | 'tables' | 'counts' | 'views'> & {
  readonly isNarrow: boolean
  readonly onFollow: (() => void) | undefined
}): JSX.Element | null {
  const current = useParams({ strict: false }).table
  if (tables.length === 0) {
    return rest.isNarrow ? null : (
      <>
        <Heading>{words.tables}</Heading>
        <p className="px-2 text-small text-muted">{words.noTables}</p>
      </>
    )
  }
  const main = sectionsOf(tables.filter(({ isSupporting }) => !isSupporting))
  const supporting = tables.filter(({ isSupporting }) => isSupporting)
  return (
    <>
      {main.map(({ title, tables: together }) => (
        <div key={title ?? ''}>
          {rest.isNarrow ? <div className="mx-1 my-2 h-px bg-border" /> : <Heading>{title ?? words.tables}</Heading>}
          <TableLinkList label={title ?? words.tables} tables={together} {...rest} />
        </div>
      ))}
      {supporting.length === 0 ? null : rest.isNarrow ? (
        <>
          <div className="mx-1 my-2 h-px bg-border" />
          <TableLinkList label={words.moreTables} tables={supporting} {...rest} />
        </>
      ) : (
        <MoreTables
          key={String(supporting.some(({ name }) => name === current))}
          isOpen={supporting.some(({ name }) => name === current)}
        >
          <TableLinkList label={words.moreTables} tables={supporting} {...rest} />
        </MoreTables>
      )}
    </>
  )
}

function MoreTables({ isOpen, children }: { readonly isOpen: boolean; readonly children: ReactNode }): JSX.Element {
  return (
    <Disclosure defaultExpanded={isOpen} className="group pt-3">
      <Button
        slot="trigger"
        className="focus-inset flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-left text-small font-medium text-muted data-hovered:bg-hover data-hovered:text-text coarse:h-11"
      >
        <span className="grid size-5 place-items-center">
          <ChevronRight size={14} aria-hidden className="transition-transform group-data-expanded:rotate-90" />
        </span>
        {words.moreTables}
      </Button>
      <DisclosurePanel>{children}</DisclosurePanel>
    </Disclosure>
  )
}

function TableLinkList({
  label,
  tables,
  counts,
  views,
  ...rest
}: Pick<NavigationProps, 'workspace' | 'tables' | 'counts' | 'views'> & {
  readonly label: string
  readonly isNarrow: boolean
  readonly onFollow: (() => void) | undefined
}): JSX.Element {
  return (
    <ul aria-label={label} className="flex flex-col gap-px">
      {tables.map((table) => (
        <li key={table.name}>
          <TableLink
            table={table}
            count={counts.get(table.name)}
            views={views.filter((view) => view.table === table.name)}
            {...rest}
          />
        </li>
      ))}
    </ul>
  )
}

/** Limit of views listed below a table; the table's own list has all. */
const VIEWS_MAX = 8

/** A table with its views below. Links to its default view. */
function TableLink({
  workspace,
  table,
  count,
  views,
  isNarrow,
  onFollow,
}: {
  readonly workspace: string
  readonly table: TableInfo
  readonly views: readonly SavedView[]
  /** `undefined`: not counted yet. */
  readonly count: number | undefined
  readonly isNarrow: boolean
  readonly onFollow: (() => void) | undefined
}): JSX.Element {
  const first = firstOf(views)
  const hasSynced = useHasSynced()
  return (
    <>
      <Item label={table.label} isNarrow={isNarrow}>
        <ToView
          workspace={workspace}
          table={table.name}
          view={first?.id}
          isExact={views.length > 0}
          className={itemClass(isNarrow)}
          onFollow={onFollow}
        >
          <TableIcon table={table} />
          <Word isNarrow={isNarrow}>{table.label}</Word>
          {isNarrow || count === undefined ? null : (
            <span className="text-small text-muted tabular-nums">
              <span aria-hidden>{formatCount(count)}</span>
              <VisuallyHidden>{words.rows(count)}</VisuallyHidden>
            </span>
          )}
        </ToView>
      </Item>
      {isNarrow || views.length === 0 ? null : (
        <ul
          aria-label={viewMessages.viewsOf(table.label)}
          className="ml-4 flex flex-col gap-px border-l border-border pl-2"
        >
          {views.slice(0, VIEWS_MAX).map((view) => (
            <li key={view.id}>
              <ToView workspace={workspace} table={table.name} view={view.id} className={viewClass} onFollow={onFollow}>
                <Word isNarrow={false}>{view.name}</Word>
                {hasSynced && view.settings.filter !== undefined ? <LateViewCount table={table} view={view} /> : null}
              </ToView>
            </li>
          ))}
          {first ? (
            <li>
              <ToView workspace={workspace} table={table.name} isExact className={viewClass} onFollow={onFollow}>
                <Word isNarrow={false}>{viewMessages.all(table.many)}</Word>
              </ToView>
            </li>
          ) : null}
        </ul>
      )}
    </>
  )
}

/** Links to a view of a table, or to all its records. */
function ToView({
  workspace,
  table,
  view,
  isExact = false,
  className,
  onFollow,
  children,
}: {
  readonly workspace: string
  readonly table: string
  readonly view?: string | undefined
  /** The table's views have their own links. */
  readonly isExact?: boolean
  readonly className: string
  readonly onFollow: (() => void) | undefined
  readonly children: ReactNode
}): JSX.Element {
  const follow = onFollow === undefined ? {} : { onClick: onFollow }
  return view === undefined ? (
    <Link
      to="/w/$ws/t/$table"
      params={{ ws: workspace, table }}
      activeOptions={{ ...IGNORE_SEARCH, exact: isExact }}
      className={className}
      {...follow}
    >
      {children}
    </Link>
  ) : (
    <Link
      to="/w/$ws/t/$table/v/$view"
      params={{ ws: workspace, table, view }}
      activeOptions={IGNORE_SEARCH}
      className={className}
      {...follow}
    >
      {children}
    </Link>
  )
}

const IGNORE_SEARCH = { includeSearch: false } as const
const viewClass = cx(
  'focus-inset flex h-7 items-center rounded-md px-2 text-small text-muted no-underline transition-colors hover:bg-hover hover:text-text coarse:h-11',
  'aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent',
)
