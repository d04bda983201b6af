import { uuidV7 } from '../fields/uuid-v7.ts'
import type { NewCommand, RecordChange, RecordValues } from '../records/record-change.ts'
import { viewEditingMessages as words } from '../../messages/view-editing.ts'
import { type SavedView, VIEWS_TABLE, type ViewScope, type ViewType } from './use-views.ts'
import { renderSettings, type ViewSettings } from './view-settings.ts'

interface Draft {
  readonly name: string
  readonly type: ViewType
  readonly scope: ViewScope
  readonly isDefault: boolean
}

/** Workspace of a shared view; `null` for the project; `undefined` on older servers. */
type OfWorkspace = string | null | undefined

/** Creates a view; `views` are those of its table. */
export function createView(view: {
  readonly table: string
  readonly draft: Draft
  readonly settings: ViewSettings
  readonly userId: string
  readonly position: number
  readonly views: readonly SavedView[]
  readonly workspace: OfWorkspace
}): { readonly id: string; readonly command: NewCommand } {
  const { draft } = view
  const id = uuidV7()
  const values: RecordValues = {
    table_name: view.table,
    name: draft.name,
    type: draft.type,
    scope: draft.scope,
    owner_id: view.userId,
    config: renderSettings(null, view.settings),
    is_default: draft.isDefault ? 1 : 0,
    position: view.position,
    ...inWorkspace(view.workspace),
  }
  const insert: RecordChange = { kind: 'insert', table: VIEWS_TABLE, id, values }
  return {
    id,
    command: { label: words.newView, changes: [...dethrone(draft, view.views, id, view.workspace), insert] },
  }
}

/** Changes a view's name, type or scope. A shared view stays in its workspace. */
export function updateView(
  view: SavedView,
  draft: Draft,
  views: readonly SavedView[],
  workspace: OfWorkspace,
): NewCommand {
  const isMoved = view.scope === 'personal' && draft.scope !== 'personal'
  const stays = isMoved ? workspace : view.row.workspace_id
  const values: RecordValues = {
    name: draft.name,
    type: draft.type,
    scope: draft.scope,
    is_default: draft.isDefault ? 1 : 0,
    ...(isMoved && inWorkspace(workspace)),
  }
  return { label: words.edit, changes: [...dethrone(draft, views, view.id, stays), changeOf(view, values)] }
}

/** Saves the screen's settings in the view. */
export function saveSettings(view: SavedView, settings: ViewSettings): NewCommand {
  return { label: words.save, changes: [changeOf(view, { config: renderSettings(view.row.config, settings) })] }
}

export function deleteView(view: SavedView): NewCommand {
  const { id, ...values } = view.row
  return { label: words.removed(view.name), changes: [{ kind: 'delete', table: VIEWS_TABLE, id, values }] }
}

/** Unsets the previous default view first, because a workspace has at most one per table. */
function dethrone(
  { isDefault }: Draft,
  views: readonly SavedView[],
  id: string,
  workspace: OfWorkspace,
): readonly RecordChange[] {
  if (!isDefault) return []
  return views
    .filter((view) => view.isDefault && view.id !== id && (view.row.workspace_id ?? null) === (workspace ?? null))
    .map((view) => changeOf(view, { is_default: 0 }))
}

function inWorkspace(workspace: OfWorkspace): RecordValues {
  return workspace === undefined ? {} : { workspace_id: workspace }
}

function changeOf({ id, row }: SavedView, values: RecordValues): RecordChange {
  const stored: RecordValues = { ...row }
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, stored[name] ?? null]))
  return { kind: 'update', table: VIEWS_TABLE, id, values, before }
}
