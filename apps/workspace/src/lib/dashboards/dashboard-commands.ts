import { type DashboardConfig, renderDashboard } from '@holdfast/protocol'
import { uuidV7 } from '../fields/uuid-v7.ts'
import type { NewCommand, RecordValues } from '../records/record-change.ts'
import type { ViewScope } from '../views/use-views.ts'
import { dashboardMessages as words } from '../../messages/dashboard.ts'
import { type Dashboard, DASHBOARDS_TABLE } from './use-dashboards.ts'

export interface DashboardDraft {
  readonly name: string
  readonly scope: ViewScope
}

export function createDashboard(made: {
  readonly draft: DashboardDraft
  readonly config: DashboardConfig
  readonly userId: string
  readonly position: number
  readonly workspace: string | null
}): { readonly id: string; readonly command: NewCommand } {
  const id = uuidV7()
  const values: RecordValues = {
    workspace_id: made.workspace,
    name: made.draft.name,
    scope: made.draft.scope,
    owner_id: made.userId,
    config: renderDashboard(made.config),
    position: made.position,
  }
  return {
    id,
    command: { label: words.newDashboard, changes: [{ kind: 'insert', table: DASHBOARDS_TABLE, id, values }] },
  }
}

/** Changes the name and who has it. A shared dashboard stays in its workspace. */
export function updateDashboard(dashboard: Dashboard, draft: DashboardDraft, workspace: string | null): NewCommand {
  const isShared = dashboard.scope === 'personal' && draft.scope !== 'personal'
  return changeOf(dashboard, words.settings, {
    name: draft.name,
    scope: draft.scope,
    ...(isShared && { workspace_id: workspace }),
  })
}

/** @param label - for "Undo …" */
export function saveConfig(dashboard: Dashboard, config: DashboardConfig, label: string): NewCommand {
  return changeOf(dashboard, label, { config: renderDashboard(config) })
}

export function deleteDashboard({ id, name, row }: Dashboard): NewCommand {
  const { id: _, ...values } = row
  return { label: words.deleteOf(name), changes: [{ kind: 'delete', table: DASHBOARDS_TABLE, id, values }] }
}

function changeOf({ id, row }: Dashboard, label: string, values: RecordValues): NewCommand {
  const stored: RecordValues = { ...row }
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, stored[name] ?? null]))
  return { label, changes: [{ kind: 'update', table: DASHBOARDS_TABLE, id, values, before }] }
}
