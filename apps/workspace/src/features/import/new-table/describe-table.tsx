import type { JSX } from 'react'
import { Button } from '../../../components/button.tsx'
import { CallFailureText } from '../../../components/call-failure-text.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Progress } from '../../../components/progress.tsx'
import { useOnline } from '../../../hooks/use-online.ts'
import { useTables, useWordedSchema } from '../../../lib/data/use-tables.tsx'
import type { FieldKind } from '../../../lib/fields/field-kind.ts'
import type { Workspace } from '../../../lib/records/use-workspace.ts'
import { importMessages } from '../../../messages/import.ts'
import { newTableMessages as words } from '../../../messages/new-table.ts'
import { ReadingChoices, WritingChoices } from '../file-choices.tsx'
import { FileHead } from '../file-head.tsx'
import { PlanSummary } from '../plan-summary.tsx'
import { AccessChoice } from './access-choice.tsx'
import { FieldRows } from './field-rows.tsx'
import { linkTables } from '../../../lib/data/link-tables.ts'
import { isLabel, isMarked, toProvisional } from './table-draft.ts'
import { TableName } from './table-name.tsx'
import type { MakingTable, NewTableStep } from './use-new-table.ts'

/** Describes the new table. Everything is proposed, and the user can change it until the table is created. */
export function DescribeTable({
  step,
  making,
  workspace,
}: {
  readonly step: Extract<NewTableStep, { kind: 'describing' }>
  readonly making: MakingTable
  readonly workspace: Workspace
}): JSX.Element {
  const { file, draft } = step
  return (
    <div className="flex flex-col gap-8">
      <div className="flex flex-col gap-4">
        <FileHead file={file} onOther={making.again} />
        <div className="grid grid-cols-1 gap-4 tablet:grid-cols-2 laptop:grid-cols-4">
          <ReadingChoices file={file} readAgain={making.readAgain} />
          <WritingChoices
            kinds={
              new Set(draft.fields.map(({ becomes: { kind } }) => (isMarked(kind) ? 'number' : (kind as FieldKind))))
            }
            writing={draft.writing}
            onChange={(writing) => making.change({ ...draft, writing })}
          />
        </div>
      </div>
      <FieldRows {...{ step }} tables={useLinkTables()} onChange={making.change} />
      <TableName {...{ draft, making }} />
      <AccessChoice {...{ draft, workspace, making }} />
      <Review {...{ step, making, workspace }} />
    </div>
  )
}

function useLinkTables(): ReturnType<typeof linkTables> {
  return linkTables(useTables(), useWordedSchema())
}

function Review({
  step,
  making,
  workspace,
}: {
  readonly step: Extract<NewTableStep, { kind: 'describing' }>
  readonly making: MakingTable
  readonly workspace: Workspace
}): JSX.Element {
  const isOnline = useOnline()
  const schema = useWordedSchema()
  const { file, draft, plan, done } = step
  const { call, planned } = making
  if (!plan || !planned) {
    const valueText = importMessages.checked(done, file.rows.length)
    return <Progress label={importMessages.checking} value={done} total={file.rows.length} valueText={valueText} />
  }
  const kept = draft.fields.filter(({ becomes }) => becomes.kind !== 'left_out' && becomes.kind !== 'id')
  const isReady = isLabel(draft.label) && kept.length > 0 && kept.every(({ label }) => isLabel(label))
  const { table } = toProvisional(draft, planned, schema)
  return (
    <PlanSummary table={table} file={file} plan={plan} title={words.review}>
      {isOnline ? null : <Notice tone="info" role="status" title={words.offline} />}
      <CallFailureText failure={call.failure} />
      <Button
        tone="primary"
        isDisabled={!isOnline || !isReady}
        isPending={call.isPending}
        onPress={() => void making.make(workspace.id)}
        className="self-start"
      >
        {plan.changes.length === 0 ? words.makeEmpty : words.make(plan.changes.length)}
      </Button>
    </PlanSummary>
  )
}
