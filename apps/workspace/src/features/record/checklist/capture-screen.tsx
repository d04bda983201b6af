import { useSchema } from '@holdfast/react'
import { useNavigate } from '@tanstack/react-router'
import { type JSX, useMemo } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { HomeLink } from '../../../components/home-link.tsx'
import { Page } from '../../../components/page.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { startForm } from '../../../lib/checklists/run-draft.ts'
import { useChecklists } from '../../../lib/checklists/use-checklists.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { useTableInfo } from '../../../lib/data/use-tables.tsx'
import { type FieldValue, fieldsOf } from '../../../lib/fields/field.ts'
import { parseValue } from '../../../lib/fields/parse-value.ts'
import type { RecordValues } from '../../../lib/records/record-change.ts'
import { checklistMessages } from '../../../messages/checklist.ts'
import { noRecordsMessages } from '../../../messages/no-records.ts'
import { CaptureHome } from './capture-home.tsx'
import { ChecklistRun } from './checklist-run.tsx'
import { ChecklistStart } from './checklist-start.tsx'

export interface CaptureScreenProps {
  readonly workspace: string
  /** Local name of a table; omitted: all tables. */
  readonly table?: string
  /** Id of the template for a new record. */
  readonly template?: string | undefined
  /** Id of the record whose checklist to continue. */
  readonly from?: string | undefined
  /** Known values of a new record as a URL query: `site_id=…&scheduled_on=2026-11-01`. */
  readonly prefill?: string | undefined
}

/** Lets the user choose, start and continue what to fill in. */
export function CaptureScreen(props: CaptureScreenProps): JSX.Element {
  const checklists = useChecklists()
  const table = useTableInfo(props.table ?? '')
  if (checklists === undefined) return <Loading />
  if (props.table === undefined) return <CaptureHome workspace={props.workspace} checklists={checklists} />
  if (!table)
    return (
      <EmptyState title={noRecordsMessages.noAccess} action={<HomeLink />}>
        {noRecordsMessages.noAccessDetail}
      </EmptyState>
    )
  const checklist = checklists.find((one) => one.table === table.name)
  if (!checklist) return <CaptureHome workspace={props.workspace} checklists={[]} only={table} />
  return (
    <OfTable
      key={`${props.from}/${props.template}/${props.prefill}`}
      {...props}
      {...{ table, checklist, checklists }}
    />
  )
}

function Loading(): JSX.Element {
  return (
    <Page title={checklistMessages.capture} width="reading" description={checklistMessages.captureLead}>
      <Skeleton rows={6} />
    </Page>
  )
}

function OfTable({
  workspace,
  table,
  template,
  from,
  prefill,
  checklist,
  checklists,
}: Omit<CaptureScreenProps, 'table'> & {
  readonly table: TableInfo
  readonly checklist: NonNullable<ReturnType<typeof useChecklists>>[number]
  readonly checklists: NonNullable<ReturnType<typeof useChecklists>>
}): JSX.Element {
  const navigate = useNavigate()
  const params = { ws: workspace, table: table.name }
  const known = usePrefill(table, prefill)
  if (from !== undefined) {
    return (
      <ChecklistRun
        checklist={checklist}
        recordId={from}
        onClose={() => void navigate({ to: '/w/$ws/t/$table/r/$record', params: { ...params, record: from } })}
      />
    )
  }
  if (template !== undefined) {
    return (
      <ChecklistStart
        {...{ checklist, table, template }}
        form={startForm(template, prefill)}
        prefill={known}
        onBegun={(id) => void navigate({ to: '/w/$ws/t/$table/new', params, search: { from: id }, replace: true })}
      />
    )
  }
  return <CaptureHome {...{ workspace, checklists }} only={table} />
}

/** Returns the values from a link that are valid for the table's fields; ignores the rest. */
function usePrefill(table: TableInfo, prefill: string | undefined): RecordValues {
  const schema = useSchema()
  return useMemo(() => {
    const values: Record<string, FieldValue> = {}
    const fields = fieldsOf(table.descriptor, schema)
    for (const [name, text] of new URLSearchParams(prefill ?? '')) {
      const field = fields.find((one) => one.name === name && one.isEditable)
      const parsed = field && parseValue(field, text)
      if (parsed?.isValid) values[name] = parsed.value
    }
    return values
  }, [table, schema, prefill])
}
