import { useParams, useSearch } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { lateContent, lateLayer, lazyAfterPaint } from '../../components/late-content.tsx'
import { useRememberRecent } from '../../lib/data/recent.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { latePart, useLatePart } from '../../lib/late-part.ts'
import { canChange, useWorkspace } from '../../lib/records/use-workspace.ts'
import type { FieldTask, TableSettingsProps } from '../../features/table-settings/table-settings.tsx'
import type { ComputedDialogProps } from '../../features/grid/computed/computed-dialog.tsx'
import type { ColumnAction } from '../../features/grid/menu/menu-target.ts'
import type { Field } from '../../lib/fields/field.ts'
import { type OpenForm, TableScreen } from '../../features/grid/table-screen.tsx'

/** Loaded separately, so that the grid appears first. */
const { Content: RecordPanel } = lateLayer(
  async () => (await import('../../features/record/record-panel.tsx')).RecordPanel,
)

/** Dialogs of owners and admins, loaded when they open one. */
const tableSettings = lateLayer<TableSettingsProps>(
  async () => (await import('../../features/table-settings/table-settings.tsx')).TableSettings,
)

const fieldActions = latePart(
  async () => (await import('../../features/table-settings/field-actions.tsx')).fieldActions,
)

/** The menu of the table, after the rows. */
const TableMenu = lazyAfterPaint<{ readonly table: TableInfo }>(
  async () => (await import('../../features/table-settings/table-menu.tsx')).TableMenu,
)

const computedDialog = lateLayer<ComputedDialogProps>(
  async () => (await import('../../features/grid/computed/computed-dialog.tsx')).ComputedDialog,
)

const formView = lateContent<OpenForm>(async () => (await import('../../features/record/form/form-view.tsx')).FormView)

/** Renders the grid of the table in the URL with the open record beside it. Each table has its own state. */
export function TableRoute(): JSX.Element {
  const { table } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const { view } = useParams({ strict: false })
  const { record } = useSearch({ from: '/signed-in/w/$ws/t/$table' })
  useRememberRecent(table, record)
  const info = useTableInfo(table)
  const workspace = useWorkspace()
  const [task, setTask] = useState<FieldTask>()
  const [computing, setComputing] = useState<Pick<ComputedDialogProps, 'edited' | 'start'>>()
  const mayChangeFields = workspace != null && info?.madeIn === workspace.id && canChange(workspace)
  const { part: actionsOf } = useLatePart(fieldActions, mayChangeFields)
  const columnActions = (_: unknown, field: Field): readonly ColumnAction[] =>
    actionsOf?.(field, { onTask: setTask, onCompute: ({ edited }) => setComputing({ edited: edited?.of }) }) ?? []
  return (
    <>
      <TableScreen
        key={table}
        table={table}
        view={view}
        renderRecord={(open) => <RecordPanel key={open.recordId} {...open} />}
        renderForm={(open) => <formView.Content key={open.saved.id} {...open} />}
        {...(mayChangeFields && {
          fieldTools: { columnActions, onAddField: () => setTask({ kind: 'add' }), TableMenu },
        })}
      />
      {info && task ? (
        <tableSettings.Content
          table={info}
          task={task}
          onCompute={(start) => {
            setTask(undefined)
            setComputing({ edited: undefined, start })
          }}
          onClose={() => setTask(undefined)}
        />
      ) : null}
      {info && workspace && computing ? (
        <computedDialog.Content
          table={info}
          workspace={workspace.id}
          {...computing}
          onClose={() => setComputing(undefined)}
        />
      ) : null}
    </>
  )
}
