import type { DashboardConfig, DashboardFilter, DashboardTile } from '@holdfast/protocol'
import { DASHBOARD_FILTERS_MAX, TILES_MAX } from '@holdfast/protocol'
import { useLocalDatabase } from '@holdfast/react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Copy, Ellipsis, LayoutDashboard, Plus, Printer, Settings2, Trash2 } from 'lucide-react'
import { type JSX, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { HomeLink } from '../../components/home-link.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { lateLayer } from '../../components/late-content.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.tsx'
import {
  createDashboard,
  deleteDashboard,
  saveConfig,
  updateDashboard,
} from '../../lib/dashboards/dashboard-commands.ts'
import { type Dashboard, DASHBOARDS_TABLE, useDashboard } from '../../lib/dashboards/use-dashboards.ts'
import { useTables, useWordedSchema } from '../../lib/data/use-tables.tsx'
import { type Field, fieldsOf, isPerson } from '../../lib/fields/field.ts'
import { type ScopeRights, useScopeRights } from '../../lib/views/use-scope-rights.ts'
import { dashboardMessages as words } from '../../messages/dashboard.ts'
import { recordMessages } from '../../messages/record.ts'
import { DashboardForm } from './dashboard-form.tsx'
import { DashboardGrid, type TileActions } from './dashboard-grid.tsx'
import { linkedField } from './data/resolve-tile.ts'
import { replaceTile } from './editor/layout-changes.ts'
import { newPartId } from './editor/propose-tiles.ts'
import { FilterBar, type OfferedFilter } from './filter-bar.tsx'
import { NewDashboard } from './new-dashboard.tsx'
import { readChosen } from './shared-filters.ts'
import { DashboardTileView } from './tiles/dashboard-tile.tsx'

const tileDialog = lateLayer(async () => (await import('./editor/tile-dialog.tsx')).TileDialog)

/** Renders the dashboard in the URL, or the page that makes one. */
export function DashboardScreen(): JSX.Element {
  const { ws, dashboard: id } = useParams({ from: '/signed-in/w/$ws/d/$dashboard' })
  return id === 'new' ? <NewDashboard workspace={ws} /> : <KnownDashboard key={id} workspace={ws} id={id} />
}

function KnownDashboard({ workspace, id }: { readonly workspace: string; readonly id: string }): JSX.Element {
  const { dashboard, isLoading } = useDashboard(id)
  if (!dashboard) {
    return (
      <Page title={words.dashboard} isTitleHidden>
        {isLoading ? (
          <Skeleton rows={6} />
        ) : (
          <EmptyState title={words.gone} icon={<LayoutDashboard size={28} aria-hidden />} action={<HomeLink />}>
            {words.goneDetail}
          </EmptyState>
        )}
      </Page>
    )
  }
  const { content } = dashboard
  if (content.kind === 'read') return <Content workspace={workspace} dashboard={dashboard} config={content.config} />
  const isNewer = content.kind === 'newer'
  return (
    <Page title={dashboard.name}>
      <EmptyState title={isNewer ? words.newer : words.broken}>
        {isNewer ? words.newerDetail : content.problem}
      </EmptyState>
    </Page>
  )
}

type Task =
  | { readonly kind: 'settings' }
  | { readonly kind: 'tile'; readonly tile: DashboardTile; readonly isNew: boolean }

function Content({
  workspace,
  dashboard,
  config,
}: {
  readonly workspace: string
  readonly dashboard: Dashboard
  readonly config: DashboardConfig
}): JSX.Element {
  const search = useSearch({ from: '/signed-in/w/$ws/d/$dashboard' })
  const navigate = useNavigate()
  const { userId } = useLocalDatabase()
  const rights = useScopeRights(DASHBOARDS_TABLE, dashboard.row, userId)
  const [isEditingAsked, setEditing] = useState(config.tiles.length === 0)
  const isEditing = isEditingAsked && rights.canChange
  const [task, setTask] = useState<Task>()
  const { actions, addTile, filters } = useEdits(dashboard, config, setTask)
  const shared = useMemo(() => readChosen(config.filters, search.f), [config.filters, search.f])
  const offered = useOffered(config)
  const used = offered.filter(({ isUsed }) => isUsed)
  const alone = config.tiles.find((tile): tile is DashboardTile => tile.kind !== 'unread' && tile.id === search.tile)
  const setAlone = (tile: string | undefined): void =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, tile }) })
  return (
    <Page
      title={dashboard.name}
      isTitleHidden={alone !== undefined}
      actions={
        <>
          {isEditing ? (
            <Button icon={<Plus size={16} aria-hidden />} onPress={addTile}>
              {words.addTile}
            </Button>
          ) : null}
          {rights.canChange ? (
            <Button tone={isEditing ? 'primary' : 'secondary'} onPress={() => setEditing(!isEditing)}>
              {isEditing ? words.done : words.edit}
            </Button>
          ) : null}
          <DashboardMenu
            {...{ dashboard, config, workspace, rights, userId }}
            onSettings={() => setTask({ kind: 'settings' })}
          />
        </>
      }
    >
      <FilterBar
        offered={used}
        shared={shared}
        onChange={(f) => void navigate({ to: '.', search: (before: object) => ({ ...before, f }), replace: true })}
        editing={
          isEditing ? { ...filters, addable: offered.filter(({ isUsed }) => !isUsed && filters.hasRoom) } : undefined
        }
      />
      {alone ? (
        <div className="h-[calc(100dvh-11rem)] min-h-80 rounded-lg border border-border bg-raised p-4">
          <DashboardTileView {...{ shared, workspace }} tile={alone} isAlone onAlone={() => setAlone(undefined)} />
        </div>
      ) : config.tiles.length === 0 ? (
        <NoTiles onAdd={rights.canChange ? addTile : undefined} />
      ) : (
        <DashboardGrid
          tiles={config.tiles}
          actions={rights.canChange ? actions : undefined}
          onAlone={setAlone}
          {...{ shared, workspace, isEditing }}
        />
      )}
      <Dialogs {...{ task, dashboard, config, rights, workspace }} offered={used} onClose={() => setTask(undefined)} />
    </Page>
  )
}

function NoTiles({ onAdd }: { readonly onAdd: (() => void) | undefined }): JSX.Element {
  return (
    <EmptyState
      title={words.noTiles}
      icon={<LayoutDashboard size={28} aria-hidden />}
      action={
        onAdd ? (
          <Button tone="primary" icon={<Plus size={16} aria-hidden />} onPress={onAdd}>
            {words.addTile}
          </Button>
        ) : undefined
      }
    >
      {onAdd ? words.noTilesDetail : words.noTilesReadOnly}
    </EmptyState>
  )
}

interface Edits {
  readonly actions: TileActions
  readonly addTile: () => void
  readonly filters: {
    readonly hasRoom: boolean
    readonly onAdd: (filter: DashboardFilter) => void
    readonly onRemove: (id: string) => void
  }
}

/** The changes to a dashboard's tiles and filters. Each is stored at once, and can be undone. */
function useEdits(dashboard: Dashboard, config: DashboardConfig, setTask: (task: Task) => void): Edits {
  const writer = useRecordWriter()
  const tables = useTables()
  const isFull = config.tiles.length >= TILES_MAX
  const sayFull = (): void => void showToast({ text: words.tilesFull(TILES_MAX) })
  const save = (change: Partial<DashboardConfig>, label: string): Promise<boolean> =>
    writer.write(saveConfig(dashboard, { ...config, ...change }, label))
  const actions: TileActions = {
    onTiles: (tiles, label) => save({ tiles }, label),
    onEdit: (tile) => setTask({ kind: 'tile', tile, isNew: false }),
    onDuplicate: (tile) => {
      const at = config.tiles.findIndex(({ id }) => id === tile.id) + 1
      if (isFull) return sayFull()
      void save({ tiles: config.tiles.toSpliced(at, 0, { ...tile, id: newPartId() }) }, words.duplicate)
    },
    onDelete: async (tile) => {
      if (!(await save({ tiles: config.tiles.filter(({ id }) => id !== tile.id) }, words.deleteTile))) return
      showToast({ text: words.tileDeleted, action: { label: recordMessages.undo, run: () => void writer.undo() } })
    },
  }
  const addTile = (): void => {
    const last = config.tiles.findLast((tile): tile is DashboardTile => tile.kind !== 'unread')
    const table = last?.table ?? tables[0]?.name
    if (isFull) return sayFull()
    if (table === undefined) return
    setTask({ kind: 'tile', tile: { id: newPartId(), kind: 'number', table, width: 1, height: 1 }, isNew: true })
  }
  const filters = {
    hasRoom: config.filters.length < DASHBOARD_FILTERS_MAX,
    onAdd: (filter: DashboardFilter) => void save({ filters: [...config.filters, filter] }, words.addFilter),
    onRemove: (id: string) => void save({ filters: config.filters.filter((one) => one.id !== id) }, words.filters),
  }
  return { actions, addTile, filters }
}

function Dialogs({
  task,
  dashboard,
  config,
  rights,
  offered,
  workspace,
  onClose,
}: {
  readonly task: Task | undefined
  readonly dashboard: Dashboard
  readonly config: DashboardConfig
  readonly rights: ScopeRights
  readonly offered: readonly OfferedFilter[]
  readonly workspace: string
  readonly onClose: () => void
}): JSX.Element | null {
  const writer = useRecordWriter()
  if (task === undefined) return null
  if (task.kind === 'settings') {
    return (
      <DashboardForm
        draft={{ name: dashboard.name, scope: dashboard.scope }}
        scopes={rights.scopes}
        onClose={onClose}
        onSubmit={(draft) => {
          onClose()
          void writer.write(updateDashboard(dashboard, draft, rights.workspaceOf(draft.scope) ?? null))
        }}
      />
    )
  }
  return (
    <tileDialog.Content
      {...{ offered, workspace, onClose }}
      tile={task.tile}
      isNew={task.isNew}
      onSave={(tile) => {
        onClose()
        const tiles = task.isNew ? [...config.tiles, tile] : replaceTile(config.tiles, tile.id, () => tile)
        void writer.write(saveConfig(dashboard, { ...config, tiles }, task.isNew ? words.addTile : words.editTile))
      }}
    />
  )
}

/** How long tiles that were out of sight may take before the page is printed, in ms. */
const PRINT_WAIT_MS = 1_500

/** Prints the dashboard once the tiles that are out of sight are calculated too. */
function printAll(): void {
  dispatchEvent(new Event('beforeprint'))
  setTimeout(() => print(), PRINT_WAIT_MS)
}

function DashboardMenu({
  dashboard,
  config,
  workspace,
  rights,
  userId,
  onSettings,
}: {
  readonly dashboard: Dashboard
  readonly config: DashboardConfig
  readonly workspace: string
  readonly rights: ScopeRights
  readonly userId: string
  readonly onSettings: () => void
}): JSX.Element {
  const navigate = useNavigate()
  const writer = useRecordWriter()
  const duplicate = async (): Promise<void> => {
    const made = createDashboard({
      draft: { name: words.copyOf(dashboard.name).slice(0, 80), scope: 'personal' },
      config,
      userId,
      position: (dashboard.row.position ?? 0) + 1,
      workspace: rights.workspaceOf('personal') ?? null,
    })
    if (await writer.write(made.command))
      await navigate({ to: '/w/$ws/d/$dashboard', params: { ws: workspace, dashboard: made.id } })
  }
  const remove = async (): Promise<void> => {
    if (!(await writer.write(deleteDashboard(dashboard)))) return
    showToast({
      text: words.wasDeleted(dashboard.name),
      action: { label: recordMessages.undo, run: () => void writer.undo() },
    })
    await navigate({ to: '/w/$ws', params: { ws: workspace } })
  }
  return (
    <MenuTrigger>
      <IconButton label={words.more} icon={<Ellipsis size={18} aria-hidden />} hasTooltip={false} />
      <Menu label={words.more}>
        {rights.canChange ? (
          <MenuItem icon={<Settings2 size={16} aria-hidden />} onAction={onSettings}>
            {words.settings}
          </MenuItem>
        ) : null}
        <MenuItem icon={<Copy size={16} aria-hidden />} onAction={() => void duplicate()}>
          {words.duplicate}
        </MenuItem>
        <MenuItem icon={<Printer size={16} aria-hidden />} onAction={printAll}>
          {words.print}
        </MenuItem>
        {rights.canDelete ? (
          <MenuItem isDanger icon={<Trash2 size={16} aria-hidden />} onAction={() => void remove()}>
            {words.deleteDashboard}
          </MenuItem>
        ) : null}
      </Menu>
    </MenuTrigger>
  )
}

type Offered = OfferedFilter & { readonly isUsed: boolean }

/** Returns the dashboard's filters with the field of the first tile that each applies to, then the ones that can be added. */
function useOffered(config: DashboardConfig): readonly Offered[] {
  const schema = useWordedSchema()
  const tables = useTables()
  return useMemo(() => {
    const known = config.tiles.flatMap((tile) => {
      const table = tile.kind === 'unread' ? undefined : tables.find(({ name }) => name === tile.table)
      return table && tile.kind !== 'unread' ? [{ tile, fields: fieldsOf(table.descriptor, schema) }] : []
    })
    const used = config.filters.flatMap((filter): readonly Offered[] => {
      const field = known.map(({ tile, fields }) => linkedField(filter, tile, fields)).find((one) => one !== undefined)
      return field ? [{ filter, field, isUsed: true }] : []
    })
    const added = new Map<string, Offered>()
    for (const field of known.flatMap(({ fields }) => fields)) {
      const kind = filterKindOf(field)
      if (!kind || config.filters.some((one) => one.kind === kind && one.field === field.name)) continue
      const key = `${kind} ${field.name}`
      if (!added.has(key))
        added.set(key, { filter: { id: newPartId(), kind, field: field.name }, field, isUsed: false })
    }
    return [...used, ...added.values()]
  }, [config, schema, tables])
}

function filterKindOf(field: Field): DashboardFilter['kind'] | undefined {
  if (field.kind === 'choice' && field.choices.length > 0) return 'choice'
  if (field.kind === 'date' || field.kind === 'datetime') return 'date'
  return isPerson(field) ? 'person' : undefined
}
