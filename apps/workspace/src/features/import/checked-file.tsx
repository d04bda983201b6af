import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { Progress } from '../../components/progress.tsx'
import { Select } from '../../components/select.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { importMessages as words } from '../../messages/import.ts'
import { ColumnTable } from './column-table.tsx'
import { ReadingChoices, WritingChoices } from './file-choices.tsx'
import { FileHead } from './file-head.tsx'
import { keysOf } from './import-settings.ts'
import { PlanSummary } from './plan-summary.tsx'
import type { ImportStep } from './import-step.ts'
import type { Import } from './use-import.ts'

const NO_KEY = ''

/** A parsed file: how it is read, where its columns go, and what the import will do. */
export function CheckedFile({
  table,
  fields,
  step,
  work,
}: {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly step: Extract<ImportStep, { kind: 'checking' | 'checked' }>
  readonly work: Import
}): JSX.Element {
  const { file, settings } = step
  return (
    <div className="flex flex-col gap-6">
      <FileHead file={file} onOther={work.again} />
      <div className="grid grid-cols-1 gap-4 tablet:grid-cols-2 laptop:grid-cols-4">
        <ReadingChoices file={file} readAgain={work.readAgain} />
        <WritingChoices
          kinds={new Set(settings.targets.flatMap((target) => target?.field.kind ?? []))}
          writing={settings.writing}
          onChange={(writing) => work.change({ ...settings, writing })}
        />
      </div>
      <ColumnTable
        {...{ fields, file, settings }}
        fits={step.kind === 'checked' ? step.plan.fits : undefined}
        onChange={work.change}
      />
      <Select
        label={words.key}
        options={[
          { value: NO_KEY, label: words.noKey },
          ...keysOf(settings.targets).map(({ name, label }) => ({ value: name, label })),
        ]}
        value={settings.key?.name ?? NO_KEY}
        onChange={(name) => work.change({ ...settings, key: fields.find((field) => field.name === name) })}
        className="max-w-sm"
      />
      {step.kind === 'checking' ? (
        <Checking step={step} onStop={work.stopCheck} onAgain={() => work.change(settings)} />
      ) : (
        <PlanSummary table={table} file={file} plan={step.plan}>
          {step.plan.changes.length === 0 ? null : (
            <Button tone="primary" onPress={work.run} className="self-start">
              {words.run(step.plan.changes.length, table.noun, table.many)}
            </Button>
          )}
        </PlanSummary>
      )}
    </div>
  )
}

/** The progress of the check, or that the user stopped it. */
function Checking({
  step: { file, done, isStopped },
  onStop,
  onAgain,
}: {
  readonly step: Extract<ImportStep, { kind: 'checking' }>
  readonly onStop: () => void
  readonly onAgain: () => void
}): JSX.Element {
  const text = words.checked(done, file.rows.length)
  if (isStopped)
    return (
      <div className="flex flex-col items-start gap-3">
        <p role="status" className="text-body text-muted">
          {words.checkStopped(text)}
        </p>
        <Button tone="primary" onPress={onAgain}>
          {words.checkAgain}
        </Button>
      </div>
    )
  return (
    <div className="flex flex-col items-start gap-3">
      <div className="w-full">
        <Progress label={words.checking} value={done} total={file.rows.length} valueText={text} />
      </div>
      <Button onPress={onStop}>{words.stop}</Button>
    </div>
  )
}
