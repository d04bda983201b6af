import { useEngineStatus, useLocalDatabase, useRecords } from '@holdfast/react'
import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { Link } from '@tanstack/react-router'
import { type JSX, type ReactNode, useState } from 'react'
import type { UploadOperation } from '@holdfast/protocol'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { RecordStateMark, StateGlyph } from '../../components/state-glyph.tsx'
import { setPaused, usePause } from '../../lib/data/pause.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { shortId, useRecordTitle } from '../../lib/data/use-record-title.ts'
import { labelOf } from '../../lib/data/column-words.ts'
import { humanize } from '../../lib/format.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { syncMenuMessages } from '../../messages/sync-menu.ts'
import { type OutboxRow, type OutboxStep, readOutbox } from './read-outbox.ts'

/** Steps shown before "show more". */
const STEPS_SHOWN = 50

/** Describes the local transactions that the server has not judged yet, oldest first. */
export function OutboxTab({ workspace }: { readonly workspace: string }): JSX.Element {
  const local = useLocalDatabase()
  const isConnected = useEngineStatus((status) => status.connected)
  const isUploading = useEngineStatus((status) => status.uploading)
  const uploadError = useEngineStatus((status) => status.uploadError?.message)
  const isPaused = usePause(local)
  const [shown, setShown] = useState(STEPS_SHOWN)
  const { rows, isLoading } = useRecords<OutboxRow>('select id, tx_id, data from ps_crud order by id')
  const steps = readOutbox(rows)
  if (isLoading) return <div aria-busy="true" />
  if (steps.length === 0) {
    return (
      <EmptyState title={words.outboxEmpty} icon={<StateGlyph name="check" size={28} />}>
        {words.outboxEmptyDetail}
      </EmptyState>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-[72ch] text-muted">{words.outboxLead(rows.length)}</p>
      {isPaused ? (
        <Notice
          title={words.outboxPaused}
          actions={
            <Button size="sm" onPress={() => setPaused(local, false)}>
              {syncMenuMessages.resume}
            </Button>
          }
        />
      ) : isConnected ? (
        uploadError !== undefined ? (
          <Notice tone="warning" title={words.uploadFailed}>
            <p>{words.uploadFailedDetail}</p>
            <p className="font-mono text-small text-muted">{uploadError}</p>
          </Notice>
        ) : null
      ) : (
        <p className="flex items-center gap-2 text-warning">
          <StateGlyph name="cloud-off" /> {words.outboxOffline}
        </p>
      )}
      <ol className="flex flex-col gap-2">
        {steps.slice(0, shown).map((step) => (
          <Step key={step.key} step={step} workspace={workspace} isSending={isUploading && step === steps[0]} />
        ))}
      </ol>
      {steps.length > shown ? (
        <Button className="self-start" onPress={() => setShown(shown + STEPS_SHOWN)}>
          {words.showMore(steps.length - shown)}
        </Button>
      ) : null}
    </div>
  )
}

function Step({
  step,
  workspace,
  isSending,
}: {
  readonly step: OutboxStep
  readonly workspace: string
  readonly isSending: boolean
}): JSX.Element {
  return (
    <li className="flex gap-3 rounded-lg border border-border px-4 py-2.5">
      <span className="pt-0.5">
        <RecordStateMark state={isSending ? 'sending' : 'waiting'} />
      </span>
      <ul className="flex min-w-0 flex-1 flex-col gap-1">
        {step.operations.map((operation) => (
          <Operation key={operation.op_id} operation={operation} workspace={workspace} />
        ))}
      </ul>
    </li>
  )
}

/** Such as `Change State and Note of action Calibrate level sensor`. */
export function Operation({
  operation,
  workspace,
  children,
}: {
  readonly operation: UploadOperation
  readonly workspace: string
  /** Details below the sentence. */
  readonly children?: ReactNode
}): JSX.Element {
  const table = useTableInfo(operation.type)
  const noun = table?.noun ?? humanize(operation.type).toLowerCase()
  const fields = Object.keys(operation.data ?? {}).map((name) => {
    const column = table?.descriptor.columns.find((candidate) => candidate.name === name)
    return column ? labelOf(column) : humanize(name)
  })
  const sentence =
    operation.op === 'PUT'
      ? words.created(noun)
      : operation.op === 'DELETE'
        ? words.deleted(noun)
        : words.changed(noun, words.fields(fields))
  return (
    <li className="[overflow-wrap:anywhere]">
      <span className="text-muted">{sentence} </span>
      {table ? (
        <RecordLink workspace={workspace} table={table} recordId={operation.id} given={givenTitle(operation, table)} />
      ) : (
        <span className="font-medium">{shortId(operation.id)}</span>
      )}
      {children}
    </li>
  )
}

/** Returns the title in the change itself, for a record that is not on this device. */
function givenTitle({ data }: UploadOperation, { titleColumn }: TableInfo): string | undefined {
  const value = titleColumn === undefined ? undefined : data?.[titleColumn]
  return value === undefined || value === null ? undefined : String(value)
}

/** A record's title, linked while the record is on this device. */
export function RecordLink({
  workspace,
  table,
  recordId,
  given,
}: {
  readonly workspace: string
  readonly table: TableInfo
  readonly recordId: string
  readonly given: string | undefined
}): JSX.Element {
  const { title, isHere } = useRecordTitle(table, recordId)
  if (!isHere) return <span className="font-medium">{given ?? title}</span>
  return (
    <Link
      to="/w/$ws/t/$table/r/$record"
      params={{ ws: workspace, table: table.name, record: recordId }}
      className="rounded-sm font-medium text-text underline decoration-border underline-offset-3 hover:decoration-current"
    >
      {title}
    </Link>
  )
}
