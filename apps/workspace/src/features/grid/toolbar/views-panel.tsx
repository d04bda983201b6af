import { useLocalDatabase } from '@holdfast/react'
import { Link, useParams } from '@tanstack/react-router'
import {
  CalendarDays,
  ClipboardPen,
  Copy,
  Globe,
  Heart,
  Images,
  Lock,
  MapPin,
  Pencil,
  Plus,
  Save,
  SquareKanban,
  Star,
  Table2,
  Trash2,
  Undo2,
  UserRound,
} from 'lucide-react'
import { createElement, type JSX, type ReactNode, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { showToast } from '../../../components/toast.tsx'
import { useFavourite } from '../../../lib/records/favourites.ts'
import { favouriteMessages } from '../../../messages/favourites.ts'
import { useRecordWriter } from '../../../components/records/use-record-writer.ts'
import { useUntilChanged } from '../../../hooks/use-until-changed.ts'
import { cx } from '../../../lib/cx.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { NewCommand } from '../../../lib/records/record-change.ts'
import { canChange, useWorkspace } from '../../../lib/records/use-workspace.ts'
import { type SavedView, useViews, VIEWS_TABLE, type ViewType } from '../../../lib/views/use-views.ts'
import { createView, deleteView, saveSettings, updateView } from '../../../lib/views/view-commands.ts'
import { recordMessages } from '../../../messages/record.ts'
import { viewEditingMessages as words } from '../../../messages/view-editing.ts'
import { viewLinkMessages } from '../../../messages/view-links.ts'
import { viewMessages } from '../../../messages/views.ts'
import type { ViewShape } from '../use-grid-view.ts'
import { type ScopeRights, useScopeRights } from '../../../lib/views/use-scope-rights.ts'
import { ViewForm, type ViewDraft } from './view-form.tsx'

export interface ViewsProps {
  readonly table: TableInfo
  readonly view: ViewShape
  /** Opens the dialog that shares the view as a page of the table's workspace. */
  readonly onSharePage: (workspace: string) => void
}

/** The views of a table, and the actions allowed on the open one. */
export function ViewsPanel({ table, view, onSharePage }: ViewsProps): JSX.Element {
  const views = useViews(table.name)
  const { saved } = view
  const { userId } = useLocalDatabase()
  const rights = useScopeRights(VIEWS_TABLE, saved?.row, userId)
  const writer = useRecordWriter()
  const [form, setForm] = useState<'new' | 'edit'>()
  const workspace = useWorkspace()
  const isOwn = workspace != null && canChange(workspace) && table.madeIn === workspace.id
  const maySharePage = isOwn && saved?.type !== 'form'
  const newDraft = newView(saved?.type, isOwn && rights.scopes.includes('shared'))

  // Pressing again before the new view opens must not create a second one.
  const untilOpen = useUntilChanged(saved?.id)
  const create = async (draft: ViewDraft): Promise<boolean> => {
    const position = Math.max(-1, ...views.map(({ row }) => row.position ?? 0)) + 1
    const workspace = rights.workspaceOf(draft.scope)
    const created = createView({
      table: table.name,
      draft,
      settings: view.settings,
      userId,
      position,
      views,
      workspace,
    })
    const isStored = await writer.write(created.command)
    if (isStored) view.openView(created.id)
    return isStored
  }
  if (form !== undefined) {
    const isNew = form === 'new' || saved === undefined
    return (
      <ViewForm
        draft={
          isNew ? newDraft : { name: saved.name, type: saved.type, scope: saved.scope, isDefault: saved.isDefault }
        }
        submitLabel={isNew ? words.create : words.done}
        scopes={rights.scopes}
        onCancel={() => setForm(undefined)}
        onSubmit={(draft) => {
          setForm(undefined)
          if (isNew) untilOpen(() => create(draft))
          else void writer.write(updateView(saved, draft, views, rights.workspaceOf(draft.scope)))
        }}
      />
    )
  }
  return (
    <>
      <ViewLinks table={table} views={views} />
      <ViewActions
        view={view}
        rights={rights}
        favourite={
          saved ? (
            <FavouriteView table={table.name} id={saved.id} onToggle={(command) => void writer.write(command)} />
          ) : null
        }
        onForm={setForm}
        onSharePage={maySharePage ? () => onSharePage(workspace.id) : undefined}
        onSave={(changed) =>
          void writer.write(saveSettings(changed, view.settings)).then((isStored) => isStored && view.reset())
        }
        onDuplicate={({ name }) => untilOpen(() => create({ ...newDraft, name: words.copyOf(name).slice(0, 80) }))}
        onDelete={(deleted) =>
          void writer.write(deleteView(deleted)).then((isStored) => {
            if (!isStored) return
            view.openView(undefined)
            showToast({
              text: words.wasRemoved(deleted.name),
              action: { label: recordMessages.undo, run: () => void writer.undo() },
            })
          })
        }
      />
      {saved && !rights.canChange ? <p className="px-2 pt-2 text-small text-muted">{words.notYours}</p> : null}
    </>
  )
}

function ViewActions({
  view,
  rights,
  favourite,
  onForm,
  onSharePage,
  onSave,
  onDuplicate,
  onDelete,
}: {
  readonly view: ViewShape
  readonly rights: ScopeRights
  readonly favourite: ReactNode
  readonly onForm: (form: 'new' | 'edit') => void
  /** `undefined`: not allowed. */
  readonly onSharePage: (() => void) | undefined
  readonly onSave: (saved: SavedView) => void
  readonly onDuplicate: (saved: SavedView) => void
  readonly onDelete: (saved: SavedView) => void
}): JSX.Element {
  const { saved, isChanged } = view
  const canMake = rights.scopes.length > 0
  return (
    <ul className="mt-2 flex flex-col border-t border-border pt-2">
      {favourite}
      {isChanged && saved && rights.canChange ? (
        <Action icon={<Save size={16} aria-hidden />} onPress={() => onSave(saved)}>
          {words.save}
        </Action>
      ) : null}
      {isChanged ? (
        <Action icon={<Undo2 size={16} aria-hidden />} onPress={view.reset}>
          {words.discard}
        </Action>
      ) : null}
      {canMake ? (
        <Action icon={<Plus size={16} aria-hidden />} onPress={() => onForm('new')}>
          {isChanged ? words.saveAs : words.newView}
        </Action>
      ) : null}
      {saved && rights.canChange ? (
        <Action icon={<Pencil size={16} aria-hidden />} onPress={() => onForm('edit')}>
          {words.edit}
        </Action>
      ) : null}
      {saved && canMake ? (
        <Action icon={<Copy size={16} aria-hidden />} onPress={() => onDuplicate(saved)}>
          {words.duplicate}
        </Action>
      ) : null}
      {onSharePage ? (
        <Action icon={<Globe size={16} aria-hidden />} onPress={onSharePage}>
          {viewLinkMessages.open}
        </Action>
      ) : null}
      {saved && rights.canDelete ? (
        <Action isDanger icon={<Trash2 size={16} aria-hidden />} onPress={() => onDelete(saved)}>
          {words.remove}
        </Action>
      ) : null}
    </ul>
  )
}

function FavouriteView({
  table,
  id,
  onToggle,
}: {
  readonly table: string
  readonly id: string
  readonly onToggle: (command: NewCommand) => void
}): JSX.Element | null {
  const favourite = useFavourite({ kind: 'view', table, id })
  if (!favourite) return null
  return (
    <Action
      icon={<Heart size={16} aria-hidden className={cx(favourite.isFavourite && 'fill-current')} />}
      onPress={() => onToggle(favourite.toggle())}
    >
      {favourite.isFavourite ? favouriteMessages.remove : favouriteMessages.add}
    </Action>
  )
}

function ViewLinks({ table, views }: { readonly table: TableInfo; readonly views: readonly SavedView[] }): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const link = cx(
    'flex h-8 items-center gap-2 rounded-md px-2 text-body text-text no-underline hover:bg-hover coarse:h-11',
    'aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent',
  )
  return (
    <ul className="flex max-h-72 flex-col gap-px overflow-auto">
      <li>
        <Link
          to="/w/$ws/t/$table"
          params={{ ws, table: table.name }}
          activeOptions={{ exact: true, includeSearch: false }}
          className={link}
        >
          <Table2 size={16} aria-hidden className="text-subtle" />
          {viewMessages.all(table.many)}
        </Link>
      </li>
      {views.map((view) => (
        <li key={view.id}>
          <Link
            to="/w/$ws/t/$table/v/$view"
            params={{ ws, table: table.name, view: view.id }}
            activeOptions={{ includeSearch: false }}
            className={link}
          >
            <KindIcon type={view.type} />
            <span className="flex-1 truncate">{view.name}</span>
            <ViewMarks view={view} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

const KIND_ICONS = {
  grid: Table2,
  board: SquareKanban,
  calendar: CalendarDays,
  gallery: Images,
  map: MapPin,
  form: ClipboardPen,
} as const

function KindIcon({ type }: { readonly type: ViewType }): JSX.Element {
  return createElement(KIND_ICONS[type], { size: 16, 'aria-hidden': true, className: 'shrink-0 text-subtle' })
}

/** Icons, with texts for screen readers, for a view's scope and whether it opens first. */
function ViewMarks({ view }: { readonly view: SavedView }): JSX.Element {
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-subtle">
      {view.isDefault ? (
        <>
          <Star size={14} aria-hidden />
          <span className="sr-only">, {words.opensFirst}</span>
        </>
      ) : null}
      {view.scope === 'shared' ? null : (
        <>
          {view.scope === 'locked' ? <Lock size={14} aria-hidden /> : <UserRound size={14} aria-hidden />}
          <span className="sr-only">, {words.scopes[view.scope]}</span>
        </>
      )}
    </span>
  )
}

function Action({
  icon,
  isDanger = false,
  onPress,
  children,
}: {
  readonly icon: ReactNode
  readonly isDanger?: boolean
  readonly onPress: () => void
  readonly children: string
}): JSX.Element {
  return (
    <li>
      <AriaButton
        onPress={onPress}
        className={cx(
          'flex h-8 w-full items-center gap-2 rounded-md px-2 text-left text-body data-hovered:bg-hover data-pressed:bg-pressed coarse:h-11',
          isDanger && 'text-danger',
        )}
      >
        <span className={cx(!isDanger && 'text-muted')}>{icon}</span>
        {children}
      </AriaButton>
    </li>
  )
}

/** @param isForAll - who sets up a table of the workspace makes views for everyone; other views are mostly one's own */
function newView(type: ViewDraft['type'] | undefined, isForAll: boolean): ViewDraft {
  return { name: '', type: type ?? 'grid', scope: isForAll ? 'shared' : 'personal', isDefault: false }
}
