import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { Select } from '../../components/select.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { ENCODINGS } from '../../lib/exchange/decode-text.ts'
import { DELIMITERS } from '../../lib/exchange/open-file.ts'
import type { Field } from '../../lib/fields/field.ts'
import { importMessages as words } from '../../messages/import.ts'
import { ColumnTable } from './column-table.tsx'
import { type ImportSettings, keysOf } from './import-settings.ts'
import type { ParsedFile } from './parse-file.ts'
import { PlanSummary } from './plan-summary.tsx'
import type { ImportStep } from './import-step.ts'
import type { Import } from './use-import.ts'

const NO_KEY = ''

/** A file that was read: how it is read, what becomes of its columns, and what the import will do. */
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
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-body font-medium [overflow-wrap:anywhere]">
          {words.file(file.name, file.rows.length, file.header.length)}
        </p>
        <Button size="sm" onPress={work.again}>
          {words.otherFile}
        </Button>
      </div>
      {file.hasOpenQuote ? <Notice tone="warning" title={words.openQuote} /> : null}
      <div className="grid grid-cols-1 gap-4 tablet:grid-cols-2 laptop:grid-cols-4">
        <ReadingChoices file={file} work={work} />
        <WritingChoices settings={settings} onChange={work.change} />
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
        <Progress
          label={words.checking}
          value={step.done}
          total={file.rows.length}
          valueText={words.checked(step.done, file.rows.length)}
        />
      ) : (
        <PlanSummary table={table} file={file} plan={step.plan} onRun={work.run} />
      )}
    </div>
  )
}

/** How the bytes of a text become cells; an XLSX says it itself. */
function ReadingChoices({ file, work }: { readonly file: ParsedFile; readonly work: Import }): JSX.Element | null {
  const { text } = file
  if (!text) return null
  return (
    <>
      <Select
        label={words.encoding}
        options={ENCODINGS.map((value) => ({ value, label: words.encodings[value] }))}
        value={text.encoding}
        onChange={(next) => work.readAgain({ ...text, encoding: ENCODINGS.find((one) => one === next) })}
      />
      <Select
        label={words.delimiter}
        options={DELIMITERS.map((value) => ({ value, label: words.delimiters[value] }))}
        value={text.delimiter}
        onChange={(next) => work.readAgain({ ...text, delimiter: DELIMITERS.find((one) => one === next) })}
      />
    </>
  )
}

/** How numbers and days are written; asked only where there are some. */
function WritingChoices({
  settings,
  onChange,
}: {
  readonly settings: ImportSettings
  readonly onChange: (settings: ImportSettings) => void
}): JSX.Element {
  const { writing } = settings
  const kinds = new Set(settings.targets.map((target) => target?.field.kind))
  return (
    <>
      {kinds.has('number') || kinds.has('integer') ? (
        <Select
          label={words.decimal}
          options={(['.', ','] as const).map((value) => ({ value, label: words.decimals[value] }))}
          value={writing.decimal}
          onChange={(next) => onChange({ ...settings, writing: { ...writing, decimal: next === ',' ? ',' : '.' } })}
        />
      ) : null}
      {kinds.has('date') || kinds.has('datetime') ? (
        <Select
          label={words.dayOrder}
          options={(['dmy', 'mdy'] as const).map((value) => ({ value, label: words.dayOrders[value] }))}
          value={writing.dayFirst ? 'dmy' : 'mdy'}
          onChange={(next) => onChange({ ...settings, writing: { ...writing, dayFirst: next === 'dmy' } })}
        />
      ) : null}
    </>
  )
}
