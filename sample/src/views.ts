import { createId } from './random.ts'
import type { ViewRow } from './rows.ts'

/** Which of the views the sample is shown with at first: what is overdue in the region of whoever looks. */
const FIRST = 0

/** The address of a saved view. */
export function firstViewOf(seed: number): { readonly table: string; readonly view: string } {
  return { table: 'actions', view: createId(seed, 'views', FIRST) }
}

/** Columns of actions: at 1440 pixels the first ones are seen without scrolling. */
const ACTION_ORDER = 'title,due_on,owner_id,priority,state,site_id'

const OVERDUE = 'all(due_on.before.today,state.notin.verified.dropped)'

/** The views that everybody of the workspace has: written as the links of the app are. Each region's people see their own rows in them. */
export function generateViews(seed: number, workspaceId: string): readonly ViewRow[] {
  const views: readonly Omit<ViewRow, 'id' | 'workspace_id' | 'position'>[] = [
    {
      table_name: 'actions',
      name: 'Overdue – my region',
      type: 'grid',
      scope: 'locked',
      config: { filter: OVERDUE, sort: 'due_on', order: ACTION_ORDER },
      is_default: true,
    },
    {
      table_name: 'actions',
      name: 'Waiting to be verified',
      type: 'grid',
      scope: 'shared',
      config: { filter: 'all(state.in.to_verify)', sort: 'due_on', order: ACTION_ORDER },
      is_default: false,
    },
    {
      table_name: 'actions',
      name: 'By state',
      type: 'board',
      scope: 'shared',
      config: { filter: 'all(state.notin.verified.dropped)', sort: 'due_on', lane: 'state' },
      is_default: false,
    },
    {
      table_name: 'findings',
      name: 'Serious and open',
      type: 'grid',
      scope: 'shared',
      config: {
        filter: 'all(state.in.open,severity.in.high.critical)',
        sort: '-severity,-created_at',
        order: 'title,severity,site_id,asset_id,state',
      },
      is_default: false,
    },
    {
      table_name: 'inspections',
      name: 'Next 14 days',
      type: 'grid',
      scope: 'shared',
      config: {
        filter: 'all(scheduled_on.after.today-1,scheduled_on.before.today+15)',
        sort: 'scheduled_on',
        order: 'number,scheduled_on,site_id,assignee_id,state,template_id',
      },
      is_default: false,
    },
    {
      table_name: 'inspections',
      name: 'Schedule',
      type: 'calendar',
      scope: 'shared',
      config: { sort: 'number', date: 'scheduled_on' },
      is_default: false,
    },
    {
      table_name: 'sites',
      name: 'Map',
      type: 'map',
      scope: 'shared',
      config: { sort: 'name', point: 'lat,lon' },
      is_default: false,
    },
  ]
  return views.map((view, index) => ({
    id: createId(seed, 'views', index),
    workspace_id: workspaceId,
    ...view,
    position: index,
  }))
}
