import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { importMessages as words } from '../../messages/import.ts'
import type { ImportStep } from './import-step.ts'
import type { Import } from './use-import.ts'

/** Something that takes a while, and how to stop it. */
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

/** What was imported, and the way back. */
export function ImportDone({
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
        <Link
          to="/w/$ws/t/$table"
          params={{ ws: workspace, table: table.name }}
          className="inline-flex h-9 items-center rounded-md border border-control px-3 text-body text-text no-underline hover:bg-hover coarse:h-11"
        >
          {words.show(table.label)}
        </Link>
        {done > 0 ? <Button onPress={work.undo}>{words.undo}</Button> : null}
        <Button onPress={work.again}>{words.again}</Button>
      </div>
    </div>
  )
}

/** An import that was taken back. */
export function Undone({ kept, onAgain }: { readonly kept: number; readonly onAgain: () => void }): JSX.Element {
  return (
    <div className="flex flex-col items-start gap-4">
      <Notice tone="info" role="status" title={kept === 0 ? words.undone : words.undoneExcept(kept)} />
      <Button onPress={onAgain}>{words.again}</Button>
    </div>
  )
}
