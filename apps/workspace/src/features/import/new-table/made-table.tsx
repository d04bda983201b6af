import { useLocalDatabase, useSchema } from '@holdfast/react'
import { type JSX, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CallFailureText } from '../../../components/call-failure-text.tsx'
import { Notice } from '../../../components/notice.tsx'
import { showToast } from '../../../components/toast.tsx'
import { useArrivingSchema } from '../../../hooks/use-arriving-schema.ts'
import { useCall } from '../../../hooks/use-call.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { useTableInfo } from '../../../lib/data/use-tables.tsx'
import { fieldsOf } from '../../../lib/fields/field.ts'
import type { Workspace } from '../../../lib/records/use-workspace.ts'
import { newTableMessages as words, newTableRefusals } from '../../../messages/new-table.ts'
import { ImportProgress, Working } from '../import-progress.tsx'
import { hasUnsent } from '../run-import.ts'
import { useImport } from '../use-import.ts'
import { settingsFor } from './table-draft.ts'
import type { NewTableStep } from './use-new-table.ts'

type Made = Extract<NewTableStep, { kind: 'made' }>

interface MadeTableProps {
  readonly step: Made
  readonly workspace: Workspace
  readonly ws: string
  readonly onRemoved: () => void
}

/** Interval in ms between looks into the outbox. */
const SENT_MS = 1_000

/** Waits for the created table to reach this device, then imports the records. */
export function MadeTable(props: MadeTableProps): JSX.Element {
  const table = useTableInfo(props.step.table)
  return table ? <FillTable {...props} table={table} /> : <Arriving />
}

/** Shown until the new table is on this device. */
export function Arriving(): JSX.Element {
  const isSlow = useArrivingSchema()
  return (
    <div className="flex flex-col gap-4">
      <Working label={words.making} text={words.arriving} />
      {isSlow ? <Notice tone="warning" role="status" title={words.slow} /> : null}
    </div>
  )
}

function FillTable({
  step,
  table,
  workspace,
  ws,
  onRemoved,
}: MadeTableProps & { readonly table: TableInfo }): JSX.Element {
  const schema = useSchema()
  const fields = useMemo(() => fieldsOf(table.descriptor, schema), [table.descriptor, schema])
  const work = useImport(table, fields)
  const hasBegun = useRef(false)
  // Runs once, because the schema may change again after the records were imported.
  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    work.runWhole(step.file, settingsFor(step.names, fields, step.draft.writing))
  }, [work, step, fields])
  return (
    <ImportProgress {...{ table, fields, work }} workspace={ws}>
      <RemoveTable table={table} workspace={workspace} onRemoved={onRemoved} />
    </ImportProgress>
  )
}

/** Deletes the table after its import was undone, as soon as the server has every change to it. The server refuses if others have added records meanwhile. */
function RemoveTable({
  table,
  workspace,
  onRemoved,
}: {
  readonly table: TableInfo
  readonly workspace: Workspace
  readonly onRemoved: () => void
}): JSX.Element {
  const { database } = useLocalDatabase()
  const call = useCall(newTableRefusals)
  const [isSending, setSending] = useState(true)
  const remove = async (): Promise<void> => {
    const done = await call.run('remove_empty_table', { workspace: workspace.id, name: table.descriptor.table })
    if (!done) return
    showToast({ text: words.removed })
    onRemoved()
  }
  const afterSending = useEffectEvent(() => {
    setSending(false)
    void remove()
  })
  useEffect(() => {
    const look = (): void => {
      hasUnsent(database, table.name)
        .then((isUnsent) => {
          if (isUnsent || leaving.signal.aborted) return
          clearInterval(looking)
          leaving.abort()
          afterSending()
        })
        .catch((error: unknown) => console.warn('The outbox could not be read.', error))
    }
    const leaving = new AbortController()
    const looking = setInterval(look, SENT_MS)
    look()
    return () => {
      leaving.abort()
      clearInterval(looking)
    }
  }, [database, table.name])
  if (isSending || (call.isPending && !call.failure))
    return <Working label={words.removing} text={words.removingDetail} />
  return (
    <>
      <Button isPending={call.isPending} onPress={() => void remove()}>
        {words.remove}
      </Button>
      <CallFailureText failure={call.failure} />
    </>
  )
}
