import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft, ChevronDown, ChevronUp } from 'lucide-react'
import type { JSX } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { useDocumentTitle } from '../../components/page.tsx'
import { UndoDialog } from '../../components/records/undo-dialog.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { useUndoKeys } from '../../lib/records/use-undo-keys.ts'
import { gridMessages } from '../../messages/grid.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { RECORD_TABS } from './record-content-props.ts'
import { RecordContent } from './record-content.tsx'
import { useNeighbours } from './use-neighbours.ts'
import { useStepKeys } from './use-step-keys.ts'

/** Escape leaves no page. */
const STAY = (): void => undefined

/** One record on a page of its own. */
export function RecordScreen({
  table: name,
  recordId,
}: {
  readonly table: string
  readonly recordId: string
}): JSX.Element {
  const table = useTableInfo(name)
  if (table) return <RecordPage table={table} recordId={recordId} />
  return (
    <>
      <h1 tabIndex={-1} className="sr-only">
        {name}
      </h1>
      <EmptyState title={gridMessages.noAccess}>{gridMessages.noAccessDetail}</EmptyState>
    </>
  )
}

function RecordPage({ table, recordId }: { readonly table: TableInfo; readonly recordId: string }): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table/r/$record' })
  const { tab } = useSearch({ from: '/signed-in/w/$ws/t/$table/r/$record' })
  const navigate = useNavigate()
  const writer = useRecordWriter()
  const { title } = useRecordTitle(table, recordId)
  useDocumentTitle(title)
  useUndoKeys(writer)
  const toTable = (): void => void navigate({ to: '/w/$ws/t/$table', params: { ws, table: table.name } })
  const stepTo = (id: string | undefined): (() => void) | undefined =>
    id === undefined
      ? undefined
      : () =>
          void navigate({
            to: '/w/$ws/t/$table/r/$record',
            params: { ws, table: table.name, record: id },
            search: { tab },
            replace: true,
          })
  const { previous, next } = useNeighbours(table, recordId)
  const [onPrevious, onNext] = [stepTo(previous), stepTo(next)]
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
            search: { tab: next === 'fields' ? undefined : next },
            replace: true,
          })
        }
        actions={
          <>
            <IconButton
              label={words.previous}
              shortcut="Alt ↑"
              icon={<ChevronUp size={18} aria-hidden />}
              isDisabled={onPrevious === undefined}
              {...(onPrevious ? { onPress: onPrevious } : {})}
            />
            <IconButton
              label={words.next}
              shortcut="Alt ↓"
              icon={<ChevronDown size={18} aria-hidden />}
              isDisabled={onNext === undefined}
              {...(onNext ? { onPress: onNext } : {})}
            />
            <IconButton
              label={words.backToTable(table.label)}
              icon={<ArrowLeft size={18} aria-hidden />}
              onPress={toTable}
            />
          </>
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
