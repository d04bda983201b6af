import { lateContent } from '../../components/late-content.tsx'
import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { JSX } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { useDocumentTitle } from '../../components/page.tsx'
import { UndoDialog } from '../../components/records/undo-dialog.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { useUndoKeys } from '../../lib/records/use-undo-keys.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { NeighbourButtons, type NeighbourSteps } from './neighbour-buttons.tsx'
import { RECORD_TABS } from './record-content-props.ts'
import { RecordContent } from './record-content.tsx'
import { useStepKeys } from './use-step-keys.ts'

const noAccess = lateContent(async () => (await import('../../components/records/no-access.tsx')).NoAccess)

/** Escape does not leave a page. */
const STAY = (): void => undefined

/** One record on its own page. */
export function RecordScreen({
  table: name,
  recordId,
  neighbours,
}: {
  readonly table: string
  readonly recordId: string
  /** The previous and next record in the view that it was opened from. */
  readonly neighbours: Neighbours
}): JSX.Element {
  const table = useTableInfo(name)
  if (table) return <RecordPage table={table} recordId={recordId} neighbours={neighbours} />
  return (
    <>
      <h1 tabIndex={-1} className="sr-only">
        {name}
      </h1>
      <noAccess.Content table={name} />
    </>
  )
}

interface Neighbours {
  readonly previous: string | undefined
  readonly next: string | undefined
}

function RecordPage({
  table,
  recordId,
  neighbours,
}: {
  readonly table: TableInfo
  readonly recordId: string
  readonly neighbours: Neighbours
}): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table/r/$record' })
  const search = useSearch({ from: '/signed-in/w/$ws/t/$table/r/$record' })
  const { tab, v: view, ...settings } = search
  const navigate = useNavigate()
  const writer = useRecordWriter()
  const { title } = useRecordTitle(table, recordId)
  useDocumentTitle(title)
  useUndoKeys(writer)
  const toTable = (): void =>
    void (view === undefined
      ? navigate({ to: '/w/$ws/t/$table', params: { ws, table: table.name }, search: settings })
      : navigate({ to: '/w/$ws/t/$table/v/$view', params: { ws, table: table.name, view }, search: settings }))
  const stepTo = (id: string | undefined): (() => void) | undefined =>
    id === undefined
      ? undefined
      : () =>
          void navigate({
            to: '/w/$ws/t/$table/r/$record',
            params: { ws, table: table.name, record: id },
            search,
            replace: true,
          })
  const [onPrevious, onNext] = [stepTo(neighbours.previous), stepTo(neighbours.next)]
  useStepKeys(onPrevious, onNext, STAY)
  return (
    <div className="mx-auto flex min-h-full w-full max-w-5xl flex-col">
      <RecordContent
        key={recordId}
        table={table}
        recordId={recordId}
        workspace={ws}
        level="h1"
        tab={RECORD_TABS.find((one) => one === tab) ?? 'fields'}
        onTab={(next) =>
          void navigate({
            to: '/w/$ws/t/$table/r/$record',
            params: { ws, table: table.name, record: recordId },
            search: { ...search, tab: next === 'fields' ? undefined : next },
            replace: true,
          })
        }
        actions={
          <PageActions onPrevious={onPrevious} onNext={onNext} back={words.backToTable(table.label)} onBack={toTable} />
        }
        onOpenRecord={(other, id) =>
          void navigate({ to: '/w/$ws/t/$table/r/$record', params: { ws, table: other, record: id } })
        }
        onGone={toTable}
      />
      <UndoDialog writer={writer} />
    </div>
  )
}

function PageActions({
  onPrevious,
  onNext,
  back,
  onBack,
}: NeighbourSteps & {
  readonly back: string
  readonly onBack: () => void
}): JSX.Element {
  return (
    <>
      <NeighbourButtons {...{ onPrevious, onNext }} />
      <IconButton label={back} icon={<ArrowLeft size={18} aria-hidden />} onPress={onBack} />
    </>
  )
}
