import type { JSX, ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { importMessages as words } from '../../messages/import.ts'
import type { Field } from '../../lib/fields/field.ts'
import { ChooseFile } from './choose-file.tsx'
import { CheckedFile } from './checked-file.tsx'
import type { ImportStep } from './import-step.ts'
import type { Import } from './use-import.ts'

/** The steps of an import, from choosing a file to the end. */
export function ImportProgress({
  table,
  fields,
  work,
  workspace,
  children,
}: {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly work: Import
  readonly workspace: string
  /** Further undo actions, shown after the import was undone. */
  readonly children?: ReactNode
}): JSX.Element {
  const { step } = work
  switch (step.kind) {
    case 'choosing':
      return <ChooseFile onFile={work.read} problem={step.problem} />
    case 'reading':
      return <Working label={words.reading} text={words.rowsRead(step.rows)} onStop={work.again} />
    case 'checking':
    case 'checked':
      return <CheckedFile {...{ table, fields, step, work }} />
    case 'writing':
      return (
        <Working
          label={words.writing}
          text={words.checked(step.done, step.plan.changes.length)}
          done={step.done}
          total={step.plan.changes.length}
          onStop={work.stop}
        />
      )
    case 'written':
      return <ImportDone {...{ table, step, work, workspace }} />
    case 'undoing':
      return (
        <Working
          label={words.undoing}
          text={words.checked(step.done, step.total)}
          done={step.done}
          total={step.total}
        />
      )
    case 'undone':
      return (
        <Undone kept={step.kept} onAgain={work.again}>
          {step.kept === 0 ? children : null}
        </Undone>
      )
    default:
      return step satisfies never
  }
}

/** A running task with its progress and a stop button. */
export function Working({
  label,
  text,
  done = 0,
  total = 0,
  onStop,
}: {
  readonly label: string
  readonly text: string
  readonly done?: number
  readonly total?: number
  readonly onStop?: () => void
}): JSX.Element {
  return (
    <div className="flex max-w-xl flex-col items-start gap-4">
      <div className="w-full">
        <Progress label={label} value={done} total={total} valueText={text} />
      </div>
      {onStop ? <Button onPress={onStop}>{words.stop}</Button> : null}
    </div>
  )
}

/** The result of an import, with undo. */
function ImportDone({
  table,
  step,
  work,
  workspace,
}: {
  readonly table: TableInfo
  readonly step: Extract<ImportStep, { kind: 'written' }>
  readonly work: Import
  readonly workspace: string
}): JSX.Element {
  const { done, plan, problem } = step
  const left = plan.changes.length - done
  return (
    <div className="flex flex-col items-start gap-4">
      <Notice
        tone={problem === undefined ? 'success' : 'warning'}
        role="status"
        title={words.done(done, table.noun, table.many)}
      >
        <p>{problem ?? (left > 0 ? words.stopped(left) : words.doneDetail)}</p>
      </Notice>
      <div className="flex flex-wrap gap-3">
        <LinkButton to="/w/$ws/t/$table" params={{ ws: workspace, table: table.name }} tone="primary">
          {words.show(table.label)}
        </LinkButton>
        {done > 0 ? <Button onPress={work.undo}>{words.undo}</Button> : null}
        <Button onPress={work.again}>{words.again}</Button>
      </div>
    </div>
  )
}

/** The result of undoing an import. */
function Undone({
  kept,
  onAgain,
  children,
}: {
  readonly kept: number
  readonly onAgain: () => void
  readonly children: ReactNode
}): JSX.Element {
  return (
    <div className="flex flex-col items-start gap-4">
      <Notice tone="info" role="status" title={kept === 0 ? words.undone : words.undoneExcept(kept)} />
      <div className="flex flex-wrap gap-3">
        <Button onPress={onAgain}>{words.again}</Button>
        {children}
      </div>
    </div>
  )
}
