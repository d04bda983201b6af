import { Link, useMatches } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { JSX } from 'react'
import { lateDetail } from '../../components/late-content.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { humanize } from '../../lib/format.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { syncMenuMessages } from '../../messages/sync-menu.ts'

/** Loaded with the first record, after the screen. */
const { Content: RecordCrumb } = lateDetail(async () => (await import('./record-crumb.tsx')).RecordCrumb)

interface Crumb {
  readonly label: string
  /** Shows its title in place of the label. */
  readonly record?: { readonly table: TableInfo; readonly recordId: string }
  readonly to?: { readonly table: string } | { readonly sync: true } | { readonly account: true }
}

/** The current location: table, record or screen name. */
export function Breadcrumb({
  workspace,
  tables,
}: {
  readonly workspace: string
  readonly tables: readonly TableInfo[]
}): JSX.Element {
  const crumbs = useCrumbs(tables)
  return (
    <nav aria-label={words.breadcrumb} className="hidden min-w-0 flex-1 tablet:block">
      <ol className="flex min-w-0 items-center gap-1 text-body">
        {crumbs.map((crumb, index) => {
          const isLast = index === crumbs.length - 1
          return (
            <li key={crumb.label} className="flex min-w-0 items-center gap-1">
              {index > 0 ? <ChevronRight size={14} aria-hidden className="text-subtle" /> : null}
              {isLast || crumb.to === undefined ? (
                <span aria-current={isLast ? 'page' : undefined} className="truncate text-text">
                  {crumb.record ? <RecordCrumb {...crumb.record} noun={crumb.label} /> : crumb.label}
                </span>
              ) : 'table' in crumb.to ? (
                <Link
                  to="/w/$ws/t/$table"
                  params={{ ws: workspace, table: crumb.to.table }}
                  className="truncate rounded-sm text-muted no-underline hover:text-text"
                >
                  {crumb.label}
                </Link>
              ) : 'account' in crumb.to ? (
                <Link to="/account" className="truncate rounded-sm text-muted no-underline hover:text-text">
                  {crumb.label}
                </Link>
              ) : (
                <Link
                  to="/w/$ws/sync"
                  params={{ ws: workspace }}
                  search={{ tab: 'attention' }}
                  className="truncate rounded-sm text-muted no-underline hover:text-text"
                >
                  {crumb.label}
                </Link>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

const ACCOUNT_CRUMBS = [
  ['/account/security', 'accountSecurity'],
  ['/account/sign-ins', 'accountSignIns'],
  ['/account/identities', 'accountIdentities'],
  ['/account/notifications', 'notifications'],
  ['/account/workspace', 'workspace'],
  ['/account/appearance', 'appearance'],
  ['/account/shortcuts', 'shortcuts'],
] as const

function useCrumbs(tables: readonly TableInfo[]): readonly Crumb[] {
  const last = useMatches().at(-1)
  if (!last) return []
  const params: Readonly<Record<string, string | undefined>> = last.params
  const table = params['table']
  if (table !== undefined) {
    const info = tables.find(({ name }) => name === table)
    const label = info?.label ?? humanize(table)
    const recordId = params['record']
    return recordId === undefined
      ? [{ label }]
      : [
          { label, to: { table } },
          { label: words.crumb(info?.noun), ...(info && { record: { table: info, recordId } }) },
        ]
  }
  if (params['item'] !== undefined) {
    return [{ label: syncMenuMessages.centre, to: { sync: true } }, { label: syncMenuMessages.tabAttention }]
  }
  if (last.routeId.endsWith('/capture')) return [{ label: words.capture }]
  if (last.routeId.endsWith('/search')) return [{ label: words.search }]
  if (last.routeId.endsWith('/inbox')) return [{ label: words.inbox }]
  if (last.routeId.endsWith('/my-work')) return [{ label: words.myWork }]
  if (params['dashboard'] !== undefined) return [{ label: words.dashboards }]
  if (last.routeId.endsWith('/people')) return [{ label: words.people }]
  if (last.routeId.endsWith('/import')) return [{ label: words.importRecords }]
  if (last.routeId.includes('/automations')) return [{ label: words.automations }]
  if (last.routeId.endsWith('/templates')) return [{ label: words.templates }]
  if (last.routeId.endsWith('/sync')) return [{ label: syncMenuMessages.centre }]
  const place = ACCOUNT_CRUMBS.find(([path]) => last.routeId.endsWith(path))
  if (place) return [{ label: words.yourAccount, to: { account: true } }, { label: words[place[1]] }]
  if (last.routeId.endsWith('/account/')) return [{ label: words.yourAccount }]
  return [{ label: words.home }]
}
