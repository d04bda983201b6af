import { readDashboard, type ReadDashboard } from '@holdfast/protocol'
import { useRecords, useSchema } from '@holdfast/react'
import { useMemo } from 'react'
import { VIEW_SCOPES, type ViewScope } from '../views/use-views.ts'

/** Local name of `holdfast.dashboards`. */
export const DASHBOARDS_TABLE = 'hf_dashboards'

export interface DashboardRow {
  readonly id: string
  readonly name: string | null
  readonly scope: string | null
  readonly owner_id: string | null
  readonly config: string | null
  readonly position: number | null
  readonly workspace_id: string | null
}

export interface Dashboard {
  readonly id: string
  readonly name: string
  readonly scope: ViewScope
  readonly content: ReadDashboard
  /** Local row. */
  readonly row: DashboardRow
}

/** Whether the server has dashboards that this user may read. */
export function useHasDashboards(): boolean {
  return useSchema().tables.some(({ name }) => name === DASHBOARDS_TABLE)
}

const COLUMNS = 'id, name, scope, owner_id, config, position, workspace_id'

/** A dashboard in a list. */
export type ListedDashboard = Pick<DashboardRow, 'id' | 'position'> & { readonly name: string }

/** Returns the user's dashboards of a workspace, and those of the project, in order. */
export function useDashboards(workspace: string | undefined): {
  readonly dashboards: readonly ListedDashboard[]
  readonly isLoading: boolean
} {
  const isHere = useHasDashboards()
  const { rows, isLoading } = useRecords<ListedDashboard>(
    isHere
      ? `select id, coalesce(name, '') as name, position from ${DASHBOARDS_TABLE}
          where workspace_id is null or workspace_id = ? order by position, name collate nocase, id`
      : '',
    isHere ? [workspace ?? ''] : [],
  )
  return { dashboards: rows, isLoading: isHere && isLoading }
}

/** Returns a dashboard by id; `undefined` if it is not on this device. */
export function useDashboard(id: string): { readonly dashboard: Dashboard | undefined; readonly isLoading: boolean } {
  const isHere = useHasDashboards()
  const { rows, isCurrent } = useRecords<DashboardRow>(
    isHere ? `select ${COLUMNS} from ${DASHBOARDS_TABLE} where id = ?` : '',
    isHere ? [id] : [],
  )
  const [row] = rows
  const text = JSON.stringify(row)
  const dashboard = useMemo(() => {
    const known = text === undefined ? undefined : (JSON.parse(text) as DashboardRow)
    return known && known.id === id ? toDashboard(known) : undefined
  }, [text, id])
  return { dashboard, isLoading: isHere && !isCurrent }
}

function toDashboard(row: DashboardRow): Dashboard {
  return {
    id: row.id,
    name: row.name ?? '',
    scope: VIEW_SCOPES.find((scope) => scope === row.scope) ?? 'personal',
    content: readDashboard(row.config),
    row,
  }
}
