import { useRecords, useSchema } from '@holdfast/react'
import { useMemo } from 'react'
import { parseSettings, type ViewSettings } from './view-settings.ts'

/** Local name of `holdfast.views`. */
export const VIEWS_TABLE = 'hf_views'

export const VIEW_TYPES = ['grid', 'board', 'calendar', 'gallery', 'map', 'form'] as const
export type ViewType = (typeof VIEW_TYPES)[number]
export const VIEW_SCOPES = ['personal', 'shared', 'locked'] as const
export type ViewScope = (typeof VIEW_SCOPES)[number]

/** A saved view of a table. */
export interface SavedView {
  readonly id: string
  readonly table: string
  readonly name: string
  readonly type: ViewType
  readonly scope: ViewScope
  readonly isDefault: boolean
  readonly settings: ViewSettings
  /** Local row. */
  readonly row: ViewRow
}

export interface ViewRow {
  readonly id: string
  readonly table_name: string
  readonly name: string | null
  readonly type: string | null
  readonly scope: string | null
  readonly owner_id: string | null
  readonly config: string | null
  readonly is_default: number | null
  readonly position: number | null
  /** Workspace of a shared view; `null` for the project. Absent on older servers. */
  readonly workspace_id?: string | null
}

const COLUMNS = 'id, table_name, name, type, scope, owner_id, config, is_default, position'

/** Whether the project has a views table readable by this user. */
export function useHasViews(): boolean {
  return useSchema().tables.some(({ name }) => name === VIEWS_TABLE)
}

function useColumns(): string {
  const views = useSchema().tables.find(({ name }) => name === VIEWS_TABLE)
  return views?.columns.some(({ name }) => name === 'workspace_id') ? `${COLUMNS}, workspace_id` : COLUMNS
}

/** Returns the table's default view: the workspace's, otherwise the project's. */
export function firstOf(views: readonly SavedView[]): SavedView | undefined {
  const first = views.filter(({ isDefault }) => isDefault)
  return first.find(({ row }) => row.workspace_id != null) ?? first[0]
}

const NONE: readonly SavedView[] = []

/** Returns the local views of a table or of all, shared and own; empty while loading. */
export function useViews(table?: string): readonly SavedView[] {
  return useKnownViews(table) ?? NONE
}

/** As {@link useViews}, but `undefined` while loading. */
export function useKnownViews(table?: string): readonly SavedView[] | undefined {
  const hasViews = useHasViews()
  const where = table === undefined ? '' : ' where table_name = ?'
  const columns = useColumns()
  const sql = `select ${columns} from ${VIEWS_TABLE}${where} order by position, name collate nocase, id`
  const { rows, isLoading } = useRecords<ViewRow>(hasViews ? sql : '', table === undefined ? [] : [table])
  return useMemo(() => (isLoading && hasViews ? undefined : rows.map(toView)), [rows, isLoading, hasViews])
}

/** Returns a view by id; no query without one. */
export function useView(
  table: string,
  id: string | undefined,
): { readonly view: SavedView | undefined; readonly isLoading: boolean } {
  const isAsked = useHasViews() && id !== undefined
  const columns = useColumns()
  const sql = `select ${columns} from ${VIEWS_TABLE} where id = ? and table_name = ?`
  const { rows, isCurrent } = useRecords<ViewRow>(isAsked ? sql : '', [id ?? null, table])
  const [row] = rows
  const view = useMemo(() => (row && row.id === id ? toView(row) : undefined), [row, id])
  return { view, isLoading: isAsked && !isCurrent }
}

function toView(row: ViewRow): SavedView {
  return {
    id: row.id,
    table: row.table_name,
    name: row.name ?? '',
    type: VIEW_TYPES.find((type) => type === row.type) ?? 'grid',
    scope: VIEW_SCOPES.find((scope) => scope === row.scope) ?? 'personal',
    isDefault: row.is_default === 1,
    settings: parseSettings(row.config),
    row,
  }
}
