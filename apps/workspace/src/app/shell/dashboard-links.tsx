import { useLocalDatabase } from '@holdfast/react'
import { Link } from '@tanstack/react-router'
import { LayoutDashboard, Plus } from 'lucide-react'
import type { JSX } from 'react'
import { DASHBOARDS_TABLE, useDashboards, useHasDashboards } from '../../lib/dashboards/use-dashboards.ts'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { useScopeRights } from '../../lib/views/use-scope-rights.ts'
import { dashboardMessages as words } from '../../messages/dashboard.ts'
import { Heading, Item, itemClass, Word } from './side-bar-item.tsx'

export interface DashboardLinksProps {
  readonly workspace: string
  readonly isNarrow: boolean
  readonly onFollow: (() => void) | undefined
}

/** The dashboards of the workspace in the navigation. */
export function DashboardLinks(props: DashboardLinksProps): JSX.Element | null {
  return useHasDashboards() ? <Links {...props} /> : null
}

function Links({ workspace, isNarrow, onFollow }: DashboardLinksProps): JSX.Element | null {
  const { userId } = useLocalDatabase()
  const { dashboards } = useDashboards(useWorkspace()?.id)
  const canCreate = useScopeRights(DASHBOARDS_TABLE, undefined, userId).scopes.length > 0
  const follow = onFollow === undefined ? {} : { onClick: onFollow }
  if (dashboards.length === 0 && !canCreate) return null
  const links = [
    ...dashboards.map(({ id, name }) => ({ id, name, Icon: LayoutDashboard })),
    ...(canCreate ? [{ id: 'new', name: words.newDashboard, Icon: Plus }] : []),
  ]
  return (
    <>
      {isNarrow ? <div className="mx-1 my-2 h-px bg-border" /> : <Heading>{words.dashboards}</Heading>}
      <ul aria-label={words.dashboards} className="flex flex-col gap-px">
        {links.map(({ id, name, Icon }) => (
          <li key={id}>
            <Item label={name} isNarrow={isNarrow}>
              <Link
                to="/w/$ws/d/$dashboard"
                params={{ ws: workspace, dashboard: id }}
                activeOptions={{ includeSearch: false }}
                preload={false}
                className={itemClass(isNarrow)}
                {...follow}
              >
                <Icon size={18} strokeWidth={1.75} aria-hidden />
                <Word isNarrow={isNarrow}>{name}</Word>
              </Link>
            </Item>
          </li>
        ))}
      </ul>
    </>
  )
}
